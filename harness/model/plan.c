/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"

#define SHORT_SECONDS 0.5

static const char *metric_disk(const struct fb_config *cfg, const char *metric)
{
	size_t n = strcspn(metric, "/");
	for (size_t i = 0; i < cfg->n_disks; i++)
		if (strlen(cfg->disks[i].name) == n &&
		    strncmp(cfg->disks[i].name, metric, n) == 0)
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
	plan->runs[plan->n++] = (struct fb_run){ disk, workload, NULL };
}

/* In the order in which they were asked for; a family in the table's. */
static void add_all(struct fb_plan *plan, const struct fb_config *cfg,
		    const char *disk)
{
	for (size_t n = 0; n < cfg->workloads.n; n++) {
		char *const *name = &cfg->workloads.v[n];
		for (const struct fb_workload *w = fb_workloads; w->name; w++)
			if (fb_workload_selected(w, name, 1))
				add(plan, disk, w->name);
		for (size_t i = 0; i < cfg->n_commands; i++)
			if (fb_streq(*name, cfg->commands[i].name))
				add(plan, disk, cfg->commands[i].name);
	}
}

/* Copies go to the next disk, from the last one to the first. */
static void set_targets(struct fb_plan *plan, const struct fb_config *cfg)
{
	for (size_t r = 0; r < plan->n; r++) {
		plan->runs[r].target = plan->runs[r].disk;
		for (size_t i = 0; i < cfg->n_disks; i++)
			if (fb_streq(cfg->disks[i].name, plan->runs[r].disk))
				plan->runs[r].target =
					cfg->disks[(i + 1) % cfg->n_disks].name;
	}
}

void fb_plan_make(struct fb_plan *plan, const struct fb_config *cfg,
		  const char *metric, enum fb_extent extent)
{
	*plan = (struct fb_plan){ .read_seconds = cfg->read_seconds };
	if (extent == FB_EXTENT_SHORT)
		plan->read_seconds = fmin(cfg->read_seconds, SHORT_SECONDS);
	if (extent == FB_EXTENT_NOTHING)
		return;
	const struct fb_workload *first = fb_workload_for_metric(metric);
	const struct fb_user_command *c =
		fb_config_command_for_metric(cfg, metric);
	if (first)
		add(plan, metric_disk(cfg, metric), first->name);
	else if (c)
		add(plan, metric_disk(cfg, metric), c->name);
	for (size_t i = 0; extent == FB_EXTENT_FULL && i < cfg->n_disks; i++)
		add_all(plan, cfg, cfg->disks[i].name);
	set_targets(plan, cfg);
}

void fb_plan_release(struct fb_plan *plan)
{
	free(plan->runs);
	*plan = (struct fb_plan){ 0 };
}
