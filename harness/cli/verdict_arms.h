/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arms of `firstbad verdict`: files of pasted output.
 *
 * FILE is all of a file; FILE:REGEX the sections of it whose headings match
 * (fb_selection in paste.h). When one file holds much, or figures stand in
 * prose, a JSON file says what belongs where:
 *
 *	{
 *		"axis": "userspace",		see fb_axis_parse()
 *		"a": { "file": "mail.txt", "from": "^FC3:" },
 *		"b": [ { "file": "mail.txt", "from": "^FC5:", "to": "^FC5 re" },
 *		       { "file": "mail.txt", "label": "hdb", "figures": {
 *				"hdparm.buffered_read": "from ([0-9.]+)MB/s" } } ],
 *		"stopped": { "figures": { "hdparm.buffered_read": 20 } }
 *	}
 *
 * An arm is one source or a list of them; "stopped" is B with a suspected
 * activity stopped. A source is a "file" (relative to the JSON file) with
 * "from", "to" and "label" as in fb_selection, and "figures": numbers, or
 * expressions whose first group is the number. With "figures" and no "from",
 * only these are taken from the file.
 */
#ifndef FB_VERDICT_ARMS_H
#define FB_VERDICT_ARMS_H

#include "paste.h"

/* A line that was not read; of which file. */
struct fb_arm_note {
	char *file;
	struct fb_paste_note note; /* borrowed from the arm */
};

struct fb_arms {
	struct fb_paste arm[3]; /* A, B, stopped */
	bool has[3];
	enum fb_axis axis;
	struct fb_arm_note *notes;
	size_t n_notes, cap_notes;
};

/* Two or three arguments, or the one of a JSON file. Zero `arms` first. */
int fb_arms_read(struct fb_arms *arms, char *const *args, int n,
		 struct fb_error *err);
void fb_arms_release(struct fb_arms *arms);

#endif
