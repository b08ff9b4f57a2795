/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "builder.h"
#include "guest.h"
#include "machine.h"
#include "progress.h"
#include "runner.h"
#include "text.h"

struct qemu_runner {
	struct fb_runner base;
	struct fb_builder *builder;
	struct fb_machine machine;
};

static int prepare(struct fb_runner *r, const struct fb_source *src,
		   struct fb_build *out, struct fb_error *err)
{
	struct qemu_runner *q = (struct qemu_runner *)r;
	return fb_builder_build(q->builder, src, out, err);
}

static int measure(struct fb_runner *r, const struct fb_job *job,
		   struct fb_boot *out, struct fb_error *err)
{
	struct qemu_runner *q = (struct qemu_runner *)r;
	return fb_guest_run(&q->machine, r->cfg, job, out, err);
}

static void qemu_free(struct fb_runner *r)
{
	struct qemu_runner *q = (struct qemu_runner *)r;
	fb_builder_free(q->builder);
	fb_machine_release(&q->machine);
	free(q);
}

static const struct fb_runner_ops qemu_ops = {
	.name = "qemu",
	.prepare = prepare,
	.measure = measure,
	.free = qemu_free,
};

int fb_runner_qemu_new(struct fb_runner **out, const struct fb_config *cfg,
		       const char *cache, struct fb_error *err)
{
	struct qemu_runner *q = fb_calloc(1, sizeof(*q));
	q->base = (struct fb_runner){ .ops = &qemu_ops,
				      .cfg = cfg,
				      .cache = cache };
	int rc = fb_machine_init(&q->machine, cfg, cache, err);
	q->base.machine = q->machine.describe;
	q->base.steady = q->machine.icount;
	if (rc == 0)
		fb_info("guests run on the %s clock%s",
			fb_machine_clock(&q->machine),
			fb_config_throttled(cfg) && !q->machine.icount ?
				", since a disk has a profile" :
				"");
	if (rc == 0)
		rc = fb_builder_new(&q->builder, cfg, cache, err);
	if (rc)
		qemu_free(&q->base);
	else
		*out = &q->base;
	return rc;
}
