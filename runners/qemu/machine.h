/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From configuration to QEMU's command line and the guest's job. */
#ifndef FB_MACHINE_H
#define FB_MACHINE_H

#include <stdbool.h>

#include "boot.h"
#include "config.h"

struct fb_error;

/* How a guest will be run, once decided. */
struct fb_machine {
	bool kvm, icount;
	bool io_uring;	  /* how QEMU reads the images; else a thread pool */
	unsigned tsc_khz; /* what the guest's rdtsc counts; 0: unknown */
	bool pc;	  /* i440fx with PIIX ATA, else q35 */
	char *version;	  /* QEMU's, e.g. "7.2.22" */
	char *describe;	  /* one line for the database */
	char **images;	  /* path of each disk's image, cfg->n_disks */
	size_t n_images;
	char *spindle_plugin; /* path, when a disk turns; else NULL */
};

/*
 * Asks QEMU for its version, decides accelerator and clock, and makes the
 * disk images that are missing in the cache: sparse files whose first three
 * quarters are a file system, the rest is for raw writing.
 */
int fb_machine_init(struct fb_machine *m, const struct fb_config *cfg,
		    const char *cache, struct fb_error *err);
void fb_machine_release(struct fb_machine *m);

/* What each boot stores of it: clock, cache mode, profile of each disk. */
void fb_machine_settings(const struct fb_machine *m,
			 const struct fb_config *cfg, struct fb_boot *boot);

/* "kvm", "icount" or "host", as stored with every boot. */
const char *fb_machine_clock(const struct fb_machine *m);

/* The descriptors that the child finds its channels at. */
enum {
	FB_FD_CONSOLE = 3,
	FB_FD_RESULT = 4,
	FB_FD_QMP = 5,
	FB_FD_DISKS = 6 /* one for each disk, whether it turns or not */
};

void fb_machine_argv(const struct fb_machine *m, const struct fb_config *cfg,
		     const char *image, const char *initrd,
		     struct fb_strv *argv);

/* The job file's text (see runners/guest/job.c); caller frees. */
char *fb_machine_job(const struct fb_config *cfg, const char *token,
		     const struct fb_plan *plan);

/* A disk's serial number: "FB" and its name in capitals. Caller frees. */
char *fb_disk_serial(const struct fb_disk *disk);

#endif
