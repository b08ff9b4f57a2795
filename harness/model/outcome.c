/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outcome.h"

#include <string.h>

static const char *const names[FB_OUTCOME_COUNT] = {
	[FB_OUTCOME_MEASURED] = "measured",
	[FB_OUTCOME_BUILD_FAILED] = "build-failed",
	[FB_OUTCOME_PANIC] = "panic",
	[FB_OUTCOME_HANG] = "hang",
	[FB_OUTCOME_REBOOT] = "reboot",
	[FB_OUTCOME_EARLY_EXIT] = "early-exit",
	[FB_OUTCOME_BAD_RESULT] = "bad-result",
	[FB_OUTCOME_PROBE_FAILED] = "probe-failed",
	[FB_OUTCOME_BOOT_FAILED] = "boot-failed",
	[FB_OUTCOME_SKIPPED] = "skipped",
	[FB_OUTCOME_MACHINE] = "machine",
};

const char *fb_outcome_name(enum fb_outcome outcome)
{
	return names[outcome];
}

bool fb_outcome_parse(const char *name, enum fb_outcome *out)
{
	for (int i = 0; i < FB_OUTCOME_COUNT; i++) {
		if (strcmp(names[i], name) == 0) {
			*out = (enum fb_outcome)i;
			return true;
		}
	}
	return false;
}

bool fb_outcome_final(enum fb_outcome outcome)
{
	return outcome == FB_OUTCOME_BUILD_FAILED ||
	       outcome == FB_OUTCOME_SKIPPED;
}
