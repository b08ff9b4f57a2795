/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two arms of a comparison differ in, and how an arm is made. */
#ifndef FB_AXIS_H
#define FB_AXIS_H

#include "config.h"
#include "verdict.h"

struct fb_error;

/*
 * Puts `value` on top of the configuration that both arms share:
 *   kconfig    fragments, with commas between them
 *   cmdline    appended to the kernel's command line
 *   userspace  a directory or archive for the guest's root
 *   disk       a bus, a profile, or KEY=VALUE of every disk
 *   machine    KEY=VALUE of "machine"
 *   knob       PATH=VALUE, with commas between them
 * An empty value changes nothing. The axes kernel and host are not about the
 * configuration.
 */
int fb_axis_apply(struct fb_config *cfg, enum fb_axis axis, const char *value,
		  struct fb_error *err);

#endif
