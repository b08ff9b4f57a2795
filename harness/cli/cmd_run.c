/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "errors.h"
#include "load.h"
#include "metric.h"
#include "session.h"

static cJSON *boot_json(const struct fb_boot *b)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "outcome", fb_outcome_name(b->outcome));
	if (b->detail)
		cJSON_AddStringToObject(o, "detail", b->detail);
	if (b->clock)
		cJSON_AddStringToObject(o, "clock", b->clock);
	if (b->machine)
		cJSON_AddStringToObject(o, "machine", b->machine);
	cJSON_AddNumberToObject(o, "seconds", b->seconds);
	/* Figures of a boot that failed have a name of their own. */
	cJSON *m = cJSON_AddObjectToObject(
		o, b->outcome == FB_OUTCOME_MEASURED ? "metrics" : "partial");
	for (size_t i = 0; i < b->n_samples; i++)
		cJSON_AddNumberToObject(m, b->samples[i].metric,
					b->samples[i].value);
	return o;
}

static void print_json(const struct fb_run_result *r)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "commit", git_oid_tostr_s(&r->commit));
	cJSON_AddStringToObject(o, "subject", r->subject);
	cJSON *list = cJSON_AddArrayToObject(o, "boots");
	for (size_t i = 0; i < r->n; i++)
		cJSON_AddItemToArray(list, boot_json(&r->boots[i]));
	char *text = cJSON_PrintUnformatted(o);
	puts(text);
	free(text);
	cJSON_Delete(o);
}

/* What was asked for; counters are in the database and in --json. */
static void print_figures(const struct fb_boot *b)
{
	bool partial = b->outcome != FB_OUTCOME_MEASURED && b->n_samples;
	if (partial)
		puts("  partial, measured before that:");
	for (size_t k = 0; k < b->n_samples; k++) {
		const struct fb_sample *s = &b->samples[k];
		if (fb_metric_is_headline(s->metric))
			printf("    %-44s %10.4g %s\n", s->metric, s->value,
			       fb_metric_unit(s->metric));
	}
}

static void print_text(const struct fb_run_result *r)
{
	printf("%.12s (\"%s\")\n", git_oid_tostr_s(&r->commit), r->subject);
	for (size_t i = 0; i < r->n; i++) {
		const struct fb_boot *b = &r->boots[i];
		printf("\nboot %zu: %s%s%s, %.1f s", i + 1,
		       fb_outcome_name(b->outcome), b->detail ? ": " : "",
		       b->detail ? b->detail : "", b->seconds);
		printf("%s%s\n", b->machine ? ", " : "",
		       b->machine ? b->machine : "");
		print_figures(b);
	}
}

int fb_cmd_run(struct fb_cli *cli, struct fb_error *err)
{
	struct fb_session s;
	struct fb_run_result r;
	int rc = fb_config_check(&cli->cfg, err);
	if (rc == 0)
		rc = fb_session_open(&s, &cli->cfg, cli->state, err);
	if (rc)
		return rc;
	rc = fb_session_run(&s, cli->n_args ? cli->args[0] : "HEAD",
			    cli->boots ? cli->boots : 1,
			    cli->boot_only ? FB_EXTENT_NOTHING : FB_EXTENT_FULL,
			    &r, err);
	fb_session_close(&s);
	if (rc)
		return rc;
	bool measured = true;
	for (size_t i = 0; i < r.n; i++)
		measured &= r.boots[i].outcome == FB_OUTCOME_MEASURED;
	if (cli->json)
		print_json(&r);
	else
		print_text(&r);
	fb_run_result_release(&r);
	return measured ? 0 : 1;
}
