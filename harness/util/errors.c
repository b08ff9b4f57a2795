/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "errors.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "text.h"

static int set(struct fb_error *err, enum fb_code code, char *message)
{
	assert(code < 0);
	free(err->message);
	err->code = code;
	err->message = message;
	return code;
}

int fb_error_set(struct fb_error *err, enum fb_code code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *message = fb_vstrf(fmt, ap);
	va_end(ap);
	return set(err, code, message);
}

int fb_error_errno(struct fb_error *err, enum fb_code code, const char *fmt,
		   ...)
{
	int saved = errno;
	va_list ap;
	va_start(ap, fmt);
	fb_autofree char *what = fb_vstrf(fmt, ap);
	va_end(ap);
	return set(err, code, fb_strf("%s: %s", what, strerror(saved)));
}

int fb_error_wrap(struct fb_error *err, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fb_autofree char *context = fb_vstrf(fmt, ap);
	va_end(ap);
	return set(err, err->code,
		   fb_strf("%s: %s", context,
			   err->message ? err->message : "unknown error"));
}

void fb_error_release(struct fb_error *err)
{
	free(err->message);
	err->message = NULL;
	err->code = FB_OK;
}

int fb_exit_status(enum fb_code code)
{
	switch (code) {
	case FB_OK:
		return 0;
	case FB_E_MACHINE:
		return 10;
	case FB_E_CANCEL:
		return 130;
	case FB_E_USAGE:
	case FB_E_NOTFOUND:
		break;
	}
	return 1;
}
