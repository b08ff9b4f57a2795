/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disks of a job: finding them, what they are set to, and using them. */
#ifndef FB_PROBE_DISK_H
#define FB_PROBE_DISK_H

#include "results.h"

/*
 * disk.c: finds every disk of the job by its serial number, never by name.
 * Makes device nodes where there is no devtmpfs.
 */
int disks_find(struct job *job, struct report *r);

/* 512 bytes of IDENTIFY DEVICE, words in the drive's order; or -1. */
int disk_identify(int fd, unsigned char id[512]);

/* Bytes; 0 when the kernel does not say. */
uint64_t disk_size(int fd);

/*
 * settings.c: what the system, the disk and its queue are set to. What a
 * kernel does not tell is left out.
 */
void report_system(struct report *r);
/* modules.c: loads those that the runner put into the initramfs, if any. */
int modules_load(struct report *r);
/* Sets the job's knobs; one that cannot be set is an error. */
int knobs_set(struct job *job, struct report *r);

void report_settings(struct report *r, const struct disk *d);

/*
 * identify.c: "UDMA5", "MWDMA2", "PIO" or "" when the drive does not say, from IDENTIFY
 * DEVICE words 53, 63 and 88 (ACS-3 7.12.7).
 */
const char *transfer_mode(const unsigned char id[512]);

/*
 * safety.c: 0 if the block device may be written to: it is not mounted, no
 * swap, nothing holds it or a part of it, and nobody has it open exclusively.
 * Else -1 after report_error().
 */
int disk_may_be_written(struct report *r, const char *dev);

/*
 * files.c: where a workload's file lives: inside the mounted file system, or
 * on a raw disk the device itself.
 */
#define FILE_NAME "firstbad.tmp"

bool disk_is_raw(const struct disk *d);
/* Mounts the file system unless it is. */
int disk_mount(struct task *t, struct disk *d);
/* Unmounts it if disk_mount() did; for what works on the device itself. */
int disk_unmount(struct task *t, struct disk *d);
/*
 * Opens the workload's file, mounting if needed; creation flags are dropped
 * on a raw disk. -1 after report_error().
 */
int disk_open_file(struct task *t, struct disk *d, int flags);
/* The same file, filled up to params.file_mib if it was not; closed. */
int disk_fill_file(struct task *t, struct disk *d);
/*
 * Where the scratch area begins: three quarters of the disk, behind the file
 * system that the host made; on a raw disk likewise.
 */
uint64_t disk_scratch(uint64_t size);

/* sync, and unless params.keep_cache drop what can be dropped. */
void drop_caches(const struct params *p);

#endif
