/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's user space: the probe as /init and the job beside it. */
#ifndef FB_INITRAMFS_H
#define FB_INITRAMFS_H

struct fb_error;

/*
 * Writes an uncompressed cpio ("newc") of the embedded probe, followed by a
 * second archive that holds `job` as /firstbad.job. The kernel unpacks
 * concatenated archives in turn, in any version since 2.6.
 */
int fb_initramfs_write(const char *path, const char *job, struct fb_error *err);

#endif
