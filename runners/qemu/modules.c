/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "modules.h"

#include <dirent.h>
#include <libkmod.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "errors.h"
#include "text.h"

#define DEPTH_MAX 16 /* of soft dependencies, which may go in circles */

/* By what QEMU puts there; see argv.c. */
static const char *const drivers[FB_BUS_COUNT] = {
	[FB_BUS_AHCI] = "ahci sd_mod",
	[FB_BUS_ATA] = "ata_piix ata_generic sd_mod",
	[FB_BUS_VIRTIO] = "virtio_pci virtio_blk",
	[FB_BUS_NVME] = "nvme",
	[FB_BUS_USB] = "xhci_pci usb_storage sd_mod",
};

static void add_list(struct kmod_list *list, struct fb_strv *out, int depth);

static bool has(const struct fb_strv *list, const char *s)
{
	for (size_t i = 0; i < list->n; i++)
		if (fb_streq(list->v[i], s))
			return true;
	return false;
}

/* A module after those that it needs; built-in ones have no path. */
static void add_module(struct kmod_module *m, struct fb_strv *out, int depth)
{
	struct kmod_list *pre = NULL, *post = NULL;
	const char *path = kmod_module_get_path(m);
	if (!path || has(out, path) || depth > DEPTH_MAX)
		return;
	struct kmod_list *needed = kmod_module_get_dependencies(m);
	add_list(needed, out, depth + 1);
	kmod_module_unref_list(needed);
	kmod_module_get_softdeps(m, &pre, &post);
	add_list(pre, out, depth + 1);
	if (!has(out, path))
		fb_strv_add(out, path);
	add_list(post, out, depth + 1);
	kmod_module_unref_list(pre);
	kmod_module_unref_list(post);
}

static void add_list(struct kmod_list *list, struct fb_strv *out, int depth)
{
	struct kmod_list *l;
	kmod_list_foreach(l, list)
	{
		struct kmod_module *m = kmod_module_get_module(l);
		add_module(m, out, depth);
		kmod_module_unref(m);
	}
}

/* By name or alias; what is not there is built in. */
static void add_name(struct kmod_ctx *ctx, const char *name,
		     struct fb_strv *out)
{
	struct kmod_list *found = NULL;
	if (kmod_module_new_from_lookup(ctx, name, &found) == 0)
		add_list(found, out, 0);
	kmod_module_unref_list(found);
}

/* The kernel's own alias for mount(2), since 3.9: ext4 does for ext3. */
static void add_filesystem(struct kmod_ctx *ctx, const char *name,
			   struct fb_strv *out)
{
	fb_autofree char *alias = fb_strf("fs-%s", name);
	add_name(ctx, name, out);
	add_name(ctx, alias, out);
}

static void add_words(struct kmod_ctx *ctx, const char *words,
		      struct fb_strv *out)
{
	fb_autofree char *copy = fb_strdup(words);
	char *rest = copy, *word;
	while ((word = strsep(&rest, " ")))
		add_name(ctx, word, out);
}

/* DIR/lib/modules/RELEASE of the kernel in DIR, or NULL; one is expected. */
static char *modules_beside(const char *image)
{
	const char *slash = strrchr(image, '/');
	fb_autofree char *all =
		fb_strf("%.*s/lib/modules", slash ? (int)(slash - image) : 1,
			slash ? image : ".");
	char *found = NULL;
	DIR *d = opendir(all);
	for (struct dirent *e; d && !found && (e = readdir(d));)
		if (e->d_name[0] != '.')
			found = fb_strf("%s/%s", all, e->d_name);
	if (d)
		closedir(d);
	return found;
}

int fb_modules_find(const char *image, const struct fb_config *cfg,
		    struct fb_strv *out, struct fb_error *err)
{
	static const char *const no_config[] = { NULL };
	fb_autofree char *dir = image ? modules_beside(image) : NULL;
	if (!dir)
		return 0;
	/* Not this machine's modprobe.d, but the soft dependencies of depmod. */
	fb_autofree char *soft = fb_strf("%s/modules.softdep", dir);
	const char *config[] = { soft, NULL };
	struct kmod_ctx *ctx =
		kmod_new(dir, access(soft, R_OK) ? no_config : config);
	if (!ctx)
		return fb_error_set(err, FB_E_MACHINE,
				    "cannot read the modules in %s", dir);
	for (size_t i = 0; i < cfg->n_disks; i++) {
		const struct fb_disk *d = &cfg->disks[i];
		add_words(ctx, drivers[d->bus], out);
		add_filesystem(ctx, fb_filesystem_names[d->filesystem], out);
	}
	kmod_unref(ctx);
	return 0;
}
