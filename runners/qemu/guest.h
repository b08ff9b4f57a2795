/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One guest from start to end; private to runners/qemu. */
#ifndef FB_GUEST_H
#define FB_GUEST_H

#include "config.h"
#include "machine.h"
#include "runner.h"

/*
 * Boots job->image, collects what the probe reports, and says in out->outcome
 * how it ended. Time limits are those of cfg->machine.
 */
int fb_guest_run(const struct fb_machine *m, const struct fb_config *cfg,
		 const struct fb_job *job, struct fb_boot *out,
		 struct fb_error *err);

#endif
