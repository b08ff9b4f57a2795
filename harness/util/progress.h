/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chatter on stderr. On a terminal one status line is kept up to date (which
 * step of about how many, what is being done, for how long, time left); else
 * each new activity is one plain line. Results never go through here.
 */
#ifndef FB_PROGRESS_H
#define FB_PROGRESS_H

#include <stdbool.h>

/* Call once at start; quiet drops everything but warnings. */
void fb_progress_init(bool quiet);

/* Step `done` of about `total`; total 0 hides the count. */
void fb_progress_step(unsigned done, unsigned total);

/* Estimated seconds that are left; negative: unknown. */
void fb_progress_left(double seconds);

/* What is being done from now on. */
void fb_progress_doing(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* Refreshes the elapsed time; event loops call it once a second. */
void fb_progress_tick(void);

/* Clears the status line: before output, and at the end. */
void fb_progress_done(void);

/* A line that stays. */
void fb_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fb_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
