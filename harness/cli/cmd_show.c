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

static int comparison_line(void *data, const struct fb_comparison_record *c)
{
	(void)data;
	printf("c%-3lld  %-15s %s: %s | %s%s%s\n", (long long)c->id, c->status,
	       c->axis, c->a, c->b, c->reason ? ": " : "",
	       c->reason ? c->reason : "");
	return 0;
}

static int comparison_object(void *data, const struct fb_comparison_record *c)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddNumberToObject(o, "comparison_id", (double)c->id);
	cJSON_AddStringToObject(o, "status", c->status);
	cJSON_AddStringToObject(o, "axis", c->axis);
	cJSON_AddStringToObject(o, "a", c->a);
	cJSON_AddStringToObject(o, "b", c->b);
	cJSON_AddNumberToObject(o, "started", c->started);
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
	cJSON *o = cJSON_CreateObject();
	cJSON *list = cJSON_AddArrayToObject(o, "bisections");
	cJSON *comparisons = cJSON_AddArrayToObject(o, "comparisons");
	rc = cli->json ? fb_db_bisections(db, status_object, list, err) :
			 fb_db_bisections(db, status_line, NULL, err);
	if (rc == 0)
		rc = cli->json ?
			     fb_db_comparisons(db, comparison_object,
					       comparisons, err) :
			     fb_db_comparisons(db, comparison_line, NULL, err);
	if (rc == 0 && cli->json) {
		char *text = cJSON_PrintUnformatted(o);
		puts(text);
		free(text);
	}
	cJSON_Delete(o);
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

/* `report c3` is about a comparison. */
static int report_comparison(struct fb_cli *cli, long id, struct fb_error *err)
{
	struct fb_db *db;
	struct fb_comparison_record c = { 0 };
	fb_autofree char *path = fb_strf("%s/results.db", cli->state);
	int rc = fb_db_open_existing(&db, path, err);
	if (rc)
		return rc;
	rc = fb_db_comparison_get(db, id, &c, err);
	if (rc == 0)
		rc = fb_report_comparison(&c, cli->json, stdout, err);
	fb_comparison_record_release(&c);
	fb_db_close(db);
	return rc;
}

int fb_cmd_report(struct fb_cli *cli, struct fb_error *err)
{
	long id;
	if (cli->n_args && cli->args[0][0] == 'c' &&
	    fb_parse_long(cli->args[0] + 1, 1, 1L << 40, &id))
		return report_comparison(cli, id, err);
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
