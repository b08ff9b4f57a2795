/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which workloads a boot runs on which disks. */
#ifndef FB_PLAN_H
#define FB_PLAN_H

#include "boot.h"
#include "config.h"

/*
 * The workload that produces cfg->metric, on its disk, comes first, so that
 * it finds the same machine in every boot. With `full` all other workloads on
 * all disks follow. The strings are borrowed from cfg.
 */
void fb_plan_make(struct fb_plan *plan, const struct fb_config *cfg, bool full);
void fb_plan_release(struct fb_plan *plan);

#endif
