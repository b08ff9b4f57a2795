/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A verdict as JSON, the form that is stored and that reports are made from. */
#ifndef FB_VERDICT_JSON_H
#define FB_VERDICT_JSON_H

#include <cjson/cJSON.h>

#include "verdict.h"

/*
 * A new object, the caller's: diagnosis, cause (absent when there is none),
 * evidence (sentences of the primary finding), findings [{diagnosis, cause,
 * disk, evidence}], not_measured (sentences), threshold_percent,
 * margin_percent, axis, and metrics [{metric, before, after, ratio, ratio_low,
 * ratio_high, change, n_before, n_after, q, more_boots, set_aside}]: means are
 * geometric, a ratio from zero is null. Rows without both arms are left out.
 */
cJSON *fb_verdict_json(const struct fb_verdict *v);

#endif
