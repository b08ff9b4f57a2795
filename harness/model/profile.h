/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk profiles: what holds an emulated disk back, so that the device and not
 * the processor sets the pace, as with a real disk. QEMU's throttle
 * (docs/throttle.txt) is a leaky bucket of bytes and of requests in the host's
 * time. It imitates the sequential rate, and by its cost per request that
 * small requests are slower than merged ones. It cannot tell a sequential
 * request from a far one: seek time, rotation, zones, the drive's own cache
 * and command queue are not imitated.
 */
#ifndef FB_PROFILE_H
#define FB_PROFILE_H

struct fb_profile {
	const char *name;
	double bytes_per_second;    /* 0: not limited */
	double requests_per_second; /* 0: not limited */
	const char *what;	    /* the disk that it stands for */
};

/* "none" first, a row without a name last. */
extern const struct fb_profile fb_profiles[];
extern const char *const fb_profile_names[]; /* the same, for options */

#endif
