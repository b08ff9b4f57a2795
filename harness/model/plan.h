/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which workloads a boot runs on which disks. */
#ifndef FB_PLAN_H
#define FB_PLAN_H

#include "boot.h"
#include "config.h"

enum fb_extent {
	FB_EXTENT_METRIC, /* only the workload that produces the metric */
	FB_EXTENT_SHORT,  /* the same, reading no longer than counters need */
	FB_EXTENT_FULL,	  /* that first, then all others on all disks */
	FB_EXTENT_NOTHING /* boot and report settings, no more */
};

/* Stands for a metric that is not chosen yet: no workload of its own. */
#define FB_METRIC_AUTO "auto"

/*
 * The metric's workload comes first, so that it finds the same machine in
 * every boot; the others follow in the order of cfg->workloads, a family in
 * that of workloads.inc. The strings are borrowed from cfg.
 */
void fb_plan_make(struct fb_plan *plan, const struct fb_config *cfg,
		  const char *metric, enum fb_extent extent);
void fb_plan_release(struct fb_plan *plan);

#endif
