/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "signature.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "identity.h"

static bool counts(const GElf_Shdr *h)
{
	return (h->sh_flags & SHF_ALLOC) && h->sh_type != SHT_NOTE;
}

static int add_section(struct fb_hash *hash, Elf_Scn *scn, const char *name,
		       const GElf_Shdr *h)
{
	uint64_t place[] = { h->sh_addr, h->sh_size };
	fb_hash_add(hash, name, strlen(name) + 1);
	fb_hash_add(hash, place, sizeof(place));
	if (h->sh_type == SHT_NOBITS)
		return 0;
	Elf_Data *data = NULL;
	size_t got = 0;
	while ((data = elf_rawdata(scn, data))) {
		if (data->d_size && !data->d_buf)
			return -1;
		fb_hash_add(hash, data->d_buf, data->d_size);
		got += data->d_size;
	}
	return got == h->sh_size ? 0 : -1;
}

static int add_all(struct fb_hash *hash, Elf *elf)
{
	size_t names, n = 0;
	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		return -1;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr h;
		if (!gelf_getshdr(scn, &h))
			return -1;
		const char *name = elf_strptr(elf, names, h.sh_name);
		if (!counts(&h))
			continue;
		if (!name || add_section(hash, scn, name, &h))
			return -1;
		n++;
	}
	return n ? 0 : -1;
}

int fb_kernel_signature(const char *vmlinux, char **hex, struct fb_error *err)
{
	fb_autoclose int fd = open(vmlinux, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fb_error_errno(err, FB_E_MACHINE, "cannot read %s",
				      vmlinux);
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	struct fb_hash *hash = fb_hash_new();
	int rc = elf ? add_all(hash, elf) : -1;
	char *sum = fb_hash_end(hash);
	elf_end(elf);
	if (rc) {
		free(sum);
		return fb_error_set(err, FB_E_MACHINE,
				    "%s is no ELF kernel that can be read",
				    vmlinux);
	}
	*hex = sum;
	return 0;
}
