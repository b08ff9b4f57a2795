/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as pasted output: both halves of the input are an arm, the whole
 * is selected by headings as well, and what was read is judged. Nothing may
 * crash, and a diagnosis always comes with at least one finding.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>

#include "errors.h"
#include "paste.h"
#include "verdict_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void arm(struct fb_paste *p, const char *text, size_t size,
		const char *from, const char *to)
{
	struct fb_error err = FB_ERROR_INIT;
	const struct fb_selection sel = { from, to, NULL };
	fb_paste_read(p, text, size, &sel, &err);
	fb_error_release(&err);
}

static void judge(struct fb_paste arms[3])
{
	struct fb_error err = FB_ERROR_INIT;
	struct fb_verdict v = { .axis = FB_AXIS_KERNEL };
	fb_paste_join(&arms[0], &arms[1], arms[2].n ? &arms[2] : NULL, &v,
		      &err);
	fb_verdict_compare(&v, .05);
	fb_verdict_diagnose(&v);
	if (!v.n_findings || !v.diagnosis)
		abort();
	cJSON *o = fb_verdict_json(&v);
	char *text = cJSON_PrintUnformatted(o);
	if (!text)
		abort();
	free(text);
	cJSON_Delete(o);
	fb_verdict_release(&v);
	fb_error_release(&err);
	for (int i = 0; i < 3; i++)
		fb_paste_release(&arms[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct fb_paste arms[3] = { { 0 } };
	arm(&arms[0], text, size, NULL, NULL);
	arm(&arms[1], text + size / 2, size - size / 2, NULL, NULL);
	judge(arms);
	arm(&arms[0], text, size, "a|2\\.6\\.19", NULL);
	arm(&arms[1], text, size, "b|2\\.6\\.20", NULL);
	arm(&arms[2], text, size, "^[0-9]", "^$");
	judge(arms);
	return 0;
}
