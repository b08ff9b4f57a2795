/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's user space: the probe as /init and the job beside it. */
#ifndef FB_INITRAMFS_H
#define FB_INITRAMFS_H

struct fb_error;
struct fb_strv;

/* What the guest gets besides the probe; lists may be empty. */
struct fb_initramfs {
	const char *job;		/* text of /firstbad.job */
	const struct fb_strv *overlays; /* see below */
	const struct fb_strv *modules;	/* files, in the order of loading */
};

/*
 * Writes an uncompressed cpio ("newc") of the embedded probe, then one of each
 * overlay (a directory, or an archive that libarchive knows), then one that
 * holds the job, and the modules as /modules/000-NAME.ko, ..., decompressed.
 * The kernel unpacks concatenated archives in turn, in any version since 2.6;
 * an overlay cannot replace the probe, since its /init is left out.
 */
int fb_initramfs_write(const char *path, const struct fb_initramfs *in,
		       struct fb_error *err);

#endif
