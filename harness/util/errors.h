/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors: every function that can fail takes a struct fb_error * last and
 * returns 0 or a negative code. The message is set once, where the fault
 * happens, and says what to do; callers add context with fb_error_wrap().
 * On success the error is left untouched.
 *
 * A kernel that does not build or boot is a result, never an error.
 * Wrong use by our own code asserts.
 */
#ifndef FB_ERRORS_H
#define FB_ERRORS_H

enum fb_code {
	FB_OK = 0,
	FB_E_USAGE = -1,   /* what the user gave is wrong: exit 1 */
	FB_E_MACHINE = -2, /* the machinery failed, nothing judged: exit 10 */
	FB_E_CANCEL = -3, /* interrupted; `firstbad resume` goes on: exit 130 */
	FB_E_NOTFOUND = -4 /* the thing asked for is not there: exit 1 */
};

struct fb_error {
	enum fb_code code;
	char *message; /* owned; one line, no newline at the end */
};

#define FB_ERROR_INIT       \
	{                   \
		FB_OK, NULL \
	}

/* Sets code and message, returns code. Replaces an earlier message. */
int fb_error_set(struct fb_error *err, enum fb_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As fb_error_set(), with ": " and the text of errno appended. */
int fb_error_errno(struct fb_error *err, enum fb_code code, const char *fmt,
		   ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the message; returns the code that is set. */
int fb_error_wrap(struct fb_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void fb_error_release(struct fb_error *err);

/* The exit status that goes with a code; 0 for FB_OK. */
int fb_exit_status(enum fb_code code);

#endif
