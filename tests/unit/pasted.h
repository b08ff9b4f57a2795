/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of pasted output share. */
#ifndef FB_UNIT_PASTED_H
#define FB_UNIT_PASTED_H

#include <math.h>

#include "cleanup.h"
#include "paste.h"
#include "unit.h"

static inline void read_as(struct fb_paste *p, const char *text,
			   const char *from, const char *to)
{
	struct fb_error err = FB_ERROR_INIT;
	const struct fb_selection sel = { from, to, NULL };
	int rc = fb_paste_read(p, text, strlen(text), &sel, &err);
	assert_ok(rc, err);
}

static inline void read_text(struct fb_paste *p, const char *text)
{
	read_as(p, text, NULL, NULL);
}

/* The n-th value of "METRIC" or "DEVICE/METRIC", or of evidence; NAN: none. */
static inline double value(const struct fb_paste *p, const char *name, size_t n)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct fb_pasted *x = &p->items[i];
		fb_autofree char *full = fb_strf(
			"%s%s%s%s%s%s%s", x->heading, *x->heading ? "/" : "",
			x->device, *x->device ? "/" : "", x->metric,
			x->key ? ":" : "", x->key ? x->key : "");
		if (strcmp(full, name) == 0 && n-- == 0)
			return x->value;
	}
	return NAN;
}

static inline void check(const struct fb_paste *p, const char *name, size_t n,
			 double expect, double tolerance)
{
	double got = value(p, name, n);
	if (!(fabs(got - expect) <= tolerance * fabs(expect)))
		fail_msg("%s [%zu]: %g, not %g", name, n, got, expect);
}

#define EXACT 1e-9

#endif
