/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the machine that runs the guests is doing: whether it was busy, slowed
 * down or robbed of its processor while a window was open.
 */
#ifndef FB_HOST_H
#define FB_HOST_H

struct fb_boot;

/* Counters but for the first two; negative: this host does not say. */
struct fb_host {
	double load;	     /* runnable processes, one minute's average */
	double mhz;	     /* lowest of all processors, now */
	double busy, steal;  /* seconds of all processors together */
	double read_kib;     /* from the host's own disks */
	double throttled;    /* times that a core was slowed for its heat */
	double qemu_seconds; /* processor time of one process */
};

/* Never fails: what cannot be read is negative. */
void fb_host_read(struct fb_host *out, long pid);

/* Stores the difference of two readings as evidence "host" of a window. */
void fb_host_evidence(struct fb_boot *boot, const char *window,
		      const struct fb_host *before,
		      const struct fb_host *after);

/* What the host is set to: governor, idle driver, kernel, as "host". */
void fb_host_settings(struct fb_boot *boot);

#endif
