/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules of a prebuilt kernel, in the order of their names. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "disk.h"

#define MODULES "/modules"

/* A driver whose device is absent (ENODEV), or that is there, is fine. */
static int load(struct report *r, const char *name)
{
	char path[300];
	struct stat st;
	snprintf(path, sizeof(path), MODULES "/%s", name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return report_error(r, "%s: %s", path, strerror(errno));
	void *image =
		mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (image == MAP_FAILED)
		return report_error(r, "%s: %s", path, strerror(errno));
	long rc =
		syscall(SYS_init_module, image, (unsigned long)st.st_size, "");
	int why = errno;
	munmap(image, (size_t)st.st_size);
	if (rc && why != EEXIST && why != ENODEV)
		return report_error(r, "the module %s cannot be loaded: %s",
				    name, strerror(why));
	unlink(path); /* its memory is the guest's page cache */
	return 0;
}

static int is_module(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

int modules_load(struct report *r)
{
	struct dirent **found;
	int rc = 0, n = scandir(MODULES, &found, is_module, alphasort);
	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = load(r, found[i]->d_name);
		free(found[i]);
	}
	free(found);
	return rc;
}
