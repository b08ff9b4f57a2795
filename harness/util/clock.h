/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time. Seconds as double; durations always from the monotonic clock. */
#ifndef FB_CLOCK_H
#define FB_CLOCK_H

/* Monotonic seconds since an arbitrary start. */
double fb_now(void);

/* Seconds since 1970 (UTC), for what people read. */
double fb_wall(void);

/* "42 s", "3 min 20 s", "2 h 5 min"; into buf (32 bytes are enough). */
const char *fb_duration(double seconds, char *buf, unsigned long size);

#endif
