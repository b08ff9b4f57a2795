/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of firstbad compare; private to harness/session. */
#ifndef FB_COMPARE_PRIVATE_H
#define FB_COMPARE_PRIVATE_H

#include "session.h"
#include "undo.h"

struct compare_arm {
	struct fb_config cfg;
	struct fb_session s; /* its runner; everything else is borrowed */
	bool open;
	git_oid commit;
	char *image;	   /* a kernel that lies ready, or NULL */
	char *name;	   /* of that: the image, or the package it was in */
	char *kernel;	   /* path of the kernel that was booted, once known */
	unsigned boots;	   /* measured */
	unsigned failures; /* in a row */
	char *failure;	   /* the last one, or NULL */
};

struct compare {
	struct fb_session *s;
	const struct fb_compare_request *r;
	struct fb_comparison_record rec;
	struct compare_arm arm[2];
	struct fb_undo undo;
	double begun;
};

/* Everything so far, compared and diagnosed; the caller releases *v. */
int compare_judge(const struct compare *c, struct fb_verdict *v,
		  struct fb_error *err);

/* The result object into the database. */
int compare_conclude(struct compare *c, const char *status, const char *reason,
		     struct fb_error *err);

#endif
