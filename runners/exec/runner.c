/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exec runner: any command is a lab. It is run once per sample and prints
 * NAME=VALUE lines; README.md has the contract.
 */
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "metric.h"
#include "process.h"
#include "runner.h"
#include "text.h"

#define STATUS_SKIP 125
#define STATUS_MACHINERY 128

struct exec_runner {
	struct fb_runner base;
	struct fb_builder *builder; /* NULL without "build" */
};

struct output {
	struct fb_boot *boot;
	const char *log;
	struct fb_error *err;
	int rc;
};

static bool take_metric(struct fb_boot *boot, const char *line)
{
	size_t n = strcspn(line, "=");
	double value;
	fb_autofree char *name = fb_strndup(line, n);
	return line[n] == '=' && fb_metric_name_ok(name) &&
	       fb_parse_double(line + n + 1, &value) &&
	       boot->n_samples < FB_BOOT_VALUES_MAX &&
	       fb_boot_add_sample(boot, NULL, name, value);
}

static void on_line(void *data, char *line, size_t len, bool cut)
{
	struct output *o = data;
	(void)len;
	if (!cut && take_metric(o->boot, line))
		return;
	fb_autofree char *text = fb_strf("%s\n", line);
	if (o->rc == 0)
		o->rc = fb_file_append(o->log, text, o->err);
}

static int judge(const struct fb_process_result *r, struct fb_boot *out,
		 const char *command, struct fb_error *err)
{
	if (r->timed_out) {
		fb_boot_fail(out, FB_OUTCOME_HANG, "%s took too long", command);
	} else if (r->signal || r->status >= STATUS_MACHINERY) {
		return fb_error_set(err, FB_E_MACHINE,
				    r->signal ? "%s was ended by signal %d" :
						"%s reports a broken machine "
						"(exit status %d)",
				    command, r->signal ? r->signal : r->status);
	} else if (r->status == STATUS_SKIP) {
		fb_boot_fail(out, FB_OUTCOME_SKIPPED,
			     "%s says that it cannot be tested", command);
	} else if (r->status) {
		fb_boot_fail(out, FB_OUTCOME_BOOT_FAILED, "%s failed with %d",
			     command, r->status);
	} else if (out->n_samples == 0) {
		fb_boot_fail(out, FB_OUTCOME_BAD_RESULT,
			     "%s printed no NAME=VALUE line", command);
	}
	return 0;
}

static int measure(struct fb_runner *r, const struct fb_job *job,
		   struct fb_boot *out, struct fb_error *err)
{
	const struct fb_config *cfg = r->cfg;
	fb_autofree char *log = fb_strf("%s/exec.log", job->dir);
	struct fb_strv env = { 0 };
	struct output o = { out, log, err, 0 };
	struct fb_process_result result;

	*out = (struct fb_boot){ .outcome = FB_OUTCOME_MEASURED };
	fb_strv_addf(&env, "FIRSTBAD_COMMIT=%s", job->commit);
	fb_strv_addf(&env, "FIRSTBAD_OUT=%s", job->dir);
	if (cfg->runner.build) {
		fb_strv_addf(&env, "FIRSTBAD_IMAGE=%s", job->image);
		fb_strv_addf(&env, "FIRSTBAD_WORKTREE=%s", job->worktree);
	}
	struct fb_process p = { .argv = fb_strv_args(&cfg->runner.command),
				.env = fb_strv_args(&env),
				.log_path = log,
				.line = on_line,
				.data = &o,
				.timeout = cfg->runner.timeout };
	int rc = fb_process_run(&p, &result, err);
	fb_strv_release(&env);
	out->seconds = out->probe_seconds = result.seconds;
	if (rc == 0)
		rc = o.rc;
	if (rc == 0)
		rc = judge(&result, out, cfg->runner.command.v[0], err);
	if (rc)
		fb_boot_release(out);
	else if (fb_exists(log))
		out->console = steal_ptr(log);
	return rc;
}

static int prepare(struct fb_runner *r, const struct fb_source *src,
		   struct fb_build *out, struct fb_error *err)
{
	struct exec_runner *e = (struct exec_runner *)r;
	/* The command is promised the work tree, cached kernel or not. */
	int rc = src->checkout(src->data, err);
	return rc ? rc : fb_builder_build(e->builder, src, out, err);
}

static void exec_free(struct fb_runner *r)
{
	struct exec_runner *e = (struct exec_runner *)r;
	fb_builder_free(e->builder);
	free(e);
}

static const struct fb_runner_ops exec_ops = { "exec", NULL, measure,
					       exec_free };
static const struct fb_runner_ops exec_build_ops = { "exec", prepare, measure,
						     exec_free };

int fb_runner_exec_new(struct fb_runner **out, const struct fb_config *cfg,
		       const char *cache, struct fb_error *err)
{
	fb_autofree char *program = fb_find_program(cfg->runner.command.v[0]);
	if (!program)
		return fb_error_set(err, FB_E_USAGE,
				    "cannot run %s: not found or not "
				    "executable",
				    cfg->runner.command.v[0]);
	struct exec_runner *e = fb_calloc(1, sizeof(*e));
	e->base = (struct fb_runner){
		.ops = cfg->runner.build ? &exec_build_ops : &exec_ops,
		.cfg = cfg,
		.cache = cache,
	};
	int rc = cfg->runner.build ?
			 fb_builder_new(&e->builder, cfg, cache, err) :
			 0;
	if (rc)
		exec_free(&e->base);
	else
		*out = &e->base;
	return rc;
}
