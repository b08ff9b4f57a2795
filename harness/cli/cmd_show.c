/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that only look: status, log, report. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "command.h"
#include "errors.h"
#include "report.h"
#include "text.h"

static int status_line(void *data, const struct fb_bisection *b)
{
	(void)data;
	printf("%4lld  %-15s %.12s..%.12s  %s%s%s\n", (long long)b->id,
	       b->status, b->good, b->bad, b->metric, b->reason ? ": " : "",
	       b->reason ? b->reason : "");
	return 0;
}

static int status_object(void *data, const struct fb_bisection *b)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddNumberToObject(o, "bisect_id", (double)b->id);
	cJSON_AddStringToObject(o, "status", b->status);
	cJSON_AddStringToObject(o, "good", b->good);
	cJSON_AddStringToObject(o, "bad", b->bad);
	cJSON_AddStringToObject(o, "metric", b->metric);
	cJSON_AddNumberToObject(o, "started", b->started);
	cJSON_AddItemToArray(data, o);
	return 0;
}

int fb_cmd_status(struct fb_cli *cli, struct fb_error *err)
{
	struct fb_db *db;
	fb_autofree char *path = fb_strf("%s/results.db", cli->state);
	int rc = fb_db_open_existing(&db, path, err);
	if (rc)
		return rc;
	cJSON *list = cJSON_CreateArray();
	rc = cli->json ? fb_db_bisections(db, status_object, list, err) :
			 fb_db_bisections(db, status_line, NULL, err);
	if (rc == 0 && cli->json) {
		cJSON *o = cJSON_CreateObject();
		cJSON_AddItemToObject(o, "bisections", list);
		list = NULL;
		char *text = cJSON_PrintUnformatted(o);
		puts(text);
		free(text);
		cJSON_Delete(o);
	}
	cJSON_Delete(list);
	fb_db_close(db);
	return rc;
}

int fb_cmd_log(struct fb_cli *cli, struct fb_error *err)
{
	struct fb_db *db;
	struct fb_bisection b;
	int rc = fb_cli_bisection(cli, &db, &b, err);
	if (rc)
		return rc;
	rc = fb_report_log(db, &b, cli->json, stdout, err);
	fb_bisection_release(&b);
	fb_db_close(db);
	return rc;
}

int fb_cmd_report(struct fb_cli *cli, struct fb_error *err)
{
	struct fb_db *db;
	struct fb_bisection b;
	int rc = fb_cli_bisection(cli, &db, &b, err);
	if (rc)
		return rc;
	rc = cli->json ? fb_report_json(&b, stdout, err) :
			 fb_report_text(&b, stdout, err);
	fb_bisection_release(&b);
	fb_db_close(db);
	return rc;
}
