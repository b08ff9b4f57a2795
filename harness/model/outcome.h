/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came of one attempt to build, boot and measure a kernel. All of these
 * are results about the kernel, but the last: a broken machine is an fb_error,
 * and this outcome only keeps what was measured before it broke.
 */
#ifndef FB_OUTCOME_H
#define FB_OUTCOME_H

#include <stdbool.h>

enum fb_outcome {
	FB_OUTCOME_MEASURED, /* every workload of the job has its figures */
	FB_OUTCOME_BUILD_FAILED,
	FB_OUTCOME_PANIC,	 /* the kernel said so, or QEMU's event did */
	FB_OUTCOME_HANG,	 /* a deadline for boot or for silence passed */
	FB_OUTCOME_REBOOT,	 /* the guest reset itself before it was done */
	FB_OUTCOME_EARLY_EXIT,	 /* powered off or ended before it was done */
	FB_OUTCOME_BAD_RESULT,	 /* result lines missing or damaged */
	FB_OUTCOME_PROBE_FAILED, /* the probe ran and reported an error */
	FB_OUTCOME_BOOT_FAILED,	 /* an exec runner's "this boot failed" */
	FB_OUTCOME_SKIPPED,	 /* an exec runner's 125 */
	/* The machine broke while the kernel ran: nothing may be judged. */
	FB_OUTCOME_MACHINE
};
#define FB_OUTCOME_COUNT 11

/* Stable names, as in the database: "measured", "build-failed", "panic"... */
const char *fb_outcome_name(enum fb_outcome outcome);
bool fb_outcome_parse(const char *name, enum fb_outcome *out);

/* No further attempt can change it: the commit is skipped at once. */
bool fb_outcome_final(enum fb_outcome outcome);

#endif
