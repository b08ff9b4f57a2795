/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disks' images: made once, kept in the cache, never written to. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "machine_private.h"
#include "process.h"

/*
 * Every file system starts from the same bytes: fixed UUID and hash seed, no
 * initialisation left for the kernel to do in the background. It gets the
 * first three quarters of the disk.
 */
static void mkfs_command(const struct fb_disk *disk, const char *path,
			 struct fb_strv *argv)
{
	static const char uuid[] = "4f7f7c9c-6d0e-4d0e-9d0a-5a3c5f0f0f0e";
	const char *fs = fb_filesystem_names[disk->filesystem];
	unsigned mib = disk->size_mib / 4 * 3;
	switch (disk->filesystem) {
	case FB_FS_XFS:
		fb_strv_add(argv, "mkfs.xfs");
		fb_strv_add(argv, "-qf");
		fb_strv_add(argv, "-m");
		fb_strv_addf(argv, "uuid=%s", uuid);
		fb_strv_add(argv, "-d");
		fb_strv_addf(argv, "size=%um", mib);
		fb_strv_add(argv, path);
		break;
	case FB_FS_BTRFS:
		fb_strv_add(argv, "mkfs.btrfs");
		fb_strv_add(argv, "-qf");
		fb_strv_add(argv, "-U");
		fb_strv_add(argv, uuid);
		fb_strv_add(argv, "-b");
		fb_strv_addf(argv, "%uM", mib);
		fb_strv_add(argv, path);
		break;
	default:
		fb_strv_add(argv, "mke2fs");
		fb_strv_add(argv, "-qFt");
		fb_strv_add(argv, fs);
		fb_strv_add(argv, "-E");
		fb_strv_add(argv, "lazy_itable_init=0,lazy_journal_init=0,"
				  "nodiscard,hash_seed="
				  "4f7f7c9c-6d0e-4d0e-9d0a-5a3c5f0f0f0f");
		fb_strv_add(argv, "-U");
		fb_strv_add(argv, uuid);
		fb_strv_add(argv, path);
		fb_strv_addf(argv, "%uM", mib);
	}
}

static int run_mkfs(const struct fb_disk *disk, const char *path,
		    struct fb_error *err)
{
	const char *env[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:"
			      "/usr/bin:/sbin:/bin",
			      "E2FSPROGS_FAKE_TIME=1", NULL };
	struct fb_strv argv = { 0 };
	mkfs_command(disk, path, &argv);
	struct fb_process p = { .argv = fb_strv_args(&argv),
				.env = env,
				.timeout = 600 };
	int rc = fb_process_check(&p, err);
	fb_strv_release(&argv);
	return rc;
}

static int make_image(const char *path, const struct fb_disk *disk,
		      struct fb_error *err)
{
	fb_autofree char *tmp = fb_strf("%s.tmp", path);
	int rc = 0;
	int fd = open(tmp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || ftruncate(fd, (off_t)disk->size_mib << 20))
		rc = fb_error_errno(err, FB_E_MACHINE, "cannot make %s", tmp);
	if (fd >= 0)
		close(fd);
	if (rc == 0 && disk->filesystem != FB_FS_RAW)
		rc = run_mkfs(disk, tmp, err);
	if (rc == 0 && rename(tmp, path))
		rc = fb_error_errno(err, FB_E_MACHINE, "cannot make %s", path);
	if (rc)
		unlink(tmp);
	return rc;
}

int fb_machine_find_images(struct fb_machine *m, const struct fb_config *cfg,
			   const char *cache, struct fb_error *err)
{
	/* The layout of an image is part of its name. */
	fb_autofree char *dir = fb_strf("%s/disks", cache);
	int rc = fb_mkdir_p(dir, err);
	m->images = fb_calloc(cfg->n_disks, sizeof(*m->images));
	m->n_images = cfg->n_disks;
	for (size_t i = 0; rc == 0 && i < cfg->n_disks; i++) {
		const struct fb_disk *d = &cfg->disks[i];
		m->images[i] = fb_strf("%s/%s-%u-scratch.img", dir,
				       fb_filesystem_names[d->filesystem],
				       d->size_mib);
		if (!fb_exists(m->images[i]))
			rc = make_image(m->images[i], d, err);
	}
	return rc;
}
