/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cleanup by attribute: a variable so marked is released when it leaves
 * its scope. Use steal_ptr() to hand the value on instead.
 */
#ifndef FB_CLEANUP_H
#define FB_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void fb_cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void fb_cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fb_cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define fb_autofree __attribute__((cleanup(fb_cleanup_free)))
#define fb_autoclose __attribute__((cleanup(fb_cleanup_close)))
#define fb_autofclose __attribute__((cleanup(fb_cleanup_fclose)))

#define steal_ptr(p)                            \
	({                                      \
		__typeof__(p) steal_tmp_ = (p); \
		(p) = NULL;                     \
		steal_tmp_;                     \
	})

#endif
