/* SPDX-License-Identifier: GPL-2.0-or-later */
/* firstbad verdict: what pasted figures of two arms mean. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "errors.h"
#include "report.h"
#include "session.h"
#include "verdict_arms.h"
#include "verdict_json.h"

static cJSON *notes_json(const struct fb_arms *arms)
{
	cJSON *list = cJSON_CreateArray();
	for (size_t i = 0; i < arms->n_notes; i++) {
		cJSON *o = cJSON_CreateObject();
		cJSON_AddStringToObject(o, "file", arms->notes[i].file);
		cJSON_AddNumberToObject(o, "line",
					(double)arms->notes[i].note.line);
		cJSON_AddStringToObject(o, "text", arms->notes[i].note.text);
		cJSON_AddItemToArray(list, o);
	}
	return list;
}

static void print(cJSON *o, const struct fb_arms *arms, bool json)
{
	if (json) {
		cJSON_AddItemToObject(o, "not_read", notes_json(arms));
		char *text = cJSON_PrintUnformatted(o);
		puts(text);
		free(text);
		return;
	}
	fb_report_verdict(o, stdout);
	fb_report_not_measured(o, stdout);
	if (arms->n_notes)
		puts("\nread with a reservation, or not at all:");
	for (size_t i = 0; i < arms->n_notes; i++)
		printf("    %s:%zu: %s\n", arms->notes[i].file,
		       arms->notes[i].note.line, arms->notes[i].note.text);
}

static int judge(const struct fb_cli *cli, const struct fb_arms *arms,
		 struct fb_verdict *v, struct fb_error *err)
{
	v->axis = cli->axis ? fb_axis_parse(cli->axis) : arms->axis;
	if (v->axis == FB_AXES)
		return fb_cli_bad_axis(cli, err);
	int rc = fb_paste_join(&arms->arm[0], &arms->arm[1],
			       arms->has[2] ? &arms->arm[2] : NULL, v, err);
	if (rc)
		return rc;
	fb_verdict_compare(v, cli->cfg.threshold / 100);
	fb_verdict_diagnose(v);
	return 0;
}

/* FILE, FILE:REGEX or a file of arms; anything else may be a revision. */
static bool is_file(const char *arg)
{
	fb_autofree char *name = fb_strdup(arg);
	char *colon = strchr(name, ':');
	if (access(name, F_OK) == 0)
		return true;
	if (colon)
		*colon = '\0';
	return strchr(name, '/') || strchr(name, '.') ||
	       access(name, F_OK) == 0;
}

static int judge_stored(const struct fb_cli *cli, struct fb_verdict *v,
			struct fb_error *err)
{
	int rc = fb_stored_verdict(&cli->cfg, cli->state, cli->args[0],
				   cli->args[1], v, err);
	v->axis = FB_AXIS_KERNEL;
	if (rc)
		return rc;
	fb_verdict_compare(v, cli->cfg.threshold / 100);
	fb_verdict_diagnose(v);
	return 0;
}

int fb_cmd_verdict(struct fb_cli *cli, struct fb_error *err)
{
	struct fb_arms arms = { 0 };
	struct fb_verdict v = { 0 };
	bool stored = cli->n_args == 2 && !is_file(cli->args[0]) &&
		      !is_file(cli->args[1]);
	int rc = stored ? judge_stored(cli, &v, err) :
			  fb_arms_read(&arms, cli->args, cli->n_args, err);
	if (rc == 0 && !stored)
		rc = judge(cli, &arms, &v, err);
	if (rc == 0) {
		cJSON *o = fb_verdict_json(&v);
		print(o, &arms, cli->json);
		cJSON_Delete(o);
	}
	fb_verdict_release(&v);
	fb_arms_release(&arms);
	return rc;
}
