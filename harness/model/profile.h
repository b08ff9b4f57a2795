/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk profiles: what holds an emulated disk back, so that the device and not
 * the processor sets the pace, as with a real disk. They count the host's
 * time.
 *
 * Without a seek time QEMU's throttle does it (docs/throttle.txt): leaky
 * buckets of bytes and of requests. It imitates the media rate and the cost of
 * a request, so that small requests are slower than merged ones, and bursts of
 * a tenth of a second are let through. It cannot tell a request that continues
 * from a far one.
 *
 * With a seek time the disk is served by a process of our own
 * (runners/qemu/spindle_plugin.c) that can. Neither imitates how seek time
 * depends on distance, zones, command queueing, the write cache, or wear.
 */
#ifndef FB_PROFILE_H
#define FB_PROFILE_H

struct fb_profile {
	const char *name;
	double bytes_per_second;    /* media rate; 0: not limited */
	double requests_per_second; /* at most, however small they are */
	double seek_seconds; /* to somewhere else, with half a turn; 0: none */
	const char *what;    /* the disk that it stands for */
};

/* "none" first, a row without a name last. */
extern const struct fb_profile fb_profiles[];
extern const char *const fb_profile_names[]; /* the same, for options */

#endif
