/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "metric.h"

static const char *metric_disk(const struct fb_config *cfg)
{
	size_t n = strcspn(cfg->metric, "/");
	for (size_t i = 0; i < cfg->n_disks; i++)
		if (strlen(cfg->disks[i].name) == n &&
		    strncmp(cfg->disks[i].name, cfg->metric, n) == 0)
			return cfg->disks[i].name;
	return cfg->n_disks ? cfg->disks[0].name : "";
}

static void add(struct fb_plan *plan, const char *disk, const char *workload)
{
	for (size_t i = 0; i < plan->n; i++)
		if (fb_streq(plan->runs[i].disk, disk) &&
		    fb_streq(plan->runs[i].workload, workload))
			return;
	FB_GROW(plan->runs, plan->n, plan->cap);
	plan->runs[plan->n++] = (struct fb_run){ disk, workload };
}

void fb_plan_make(struct fb_plan *plan, const struct fb_config *cfg, bool full)
{
	*plan = (struct fb_plan){ 0 };
	const struct fb_workload *first = fb_workload_for_metric(cfg->metric);
	if (first)
		add(plan, metric_disk(cfg), first->name);
	for (size_t i = 0; full && i < cfg->n_disks; i++)
		for (const struct fb_workload *w = fb_workloads; w->name; w++)
			if (fb_workload_selected(w, cfg->workloads.v,
						 cfg->workloads.n))
				add(plan, cfg->disks[i].name, w->name);
}

void fb_plan_release(struct fb_plan *plan)
{
	free(plan->runs);
	*plan = (struct fb_plan){ 0 };
}
