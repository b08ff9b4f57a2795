/* SPDX-License-Identifier: GPL-2.0-or-later */
/* firstbad compare: two arms that differ on one axis. */
#include <stdlib.h>

#include "command.h"
#include "errors.h"
#include "load.h"
#include "progress.h"
#include "report.h"
#include "session.h"

struct host_commands {
	struct fb_strv set[2], undo;
};

static int print_result(const struct fb_cli *cli, struct fb_db *db, int64_t id,
			struct fb_error *err)
{
	struct fb_comparison_record c = { 0 };
	int rc = fb_db_comparison_get(db, id, &c, err);
	if (rc == 0)
		rc = fb_report_comparison(&c, cli->json, stdout, err);
	if (rc == 0)
		rc = fb_report_comparison_exit_status(c.status);
	fb_comparison_record_release(&c);
	return rc;
}

static int read_host(const struct fb_cli *cli, struct host_commands *h,
		     struct fb_compare_request *r, struct fb_error *err)
{
	int rc = 0;
	for (int i = 0; rc == 0 && i < 2; i++) {
		rc = fb_cli_split(&h->set[i], cli->args[i], "compare", err);
		r->set[i] = &h->set[i];
	}
	if (rc == 0 && cli->undo)
		rc = fb_cli_split(&h->undo, cli->undo, "--undo", err);
	if (rc == 0 && h->undo.n)
		r->undo = &h->undo;
	return rc;
}

static int read_request(const struct fb_cli *cli, struct host_commands *h,
			struct fb_compare_request *r, struct fb_error *err)
{
	*r = (struct fb_compare_request){
		.axis = cli->axis ? fb_axis_parse(cli->axis) : FB_AXIS_KERNEL,
		.a = cli->args[0],
		.b = cli->args[1],
		.rev = cli->rev ? cli->rev : "HEAD",
		.boots = cli->boots,
	};
	if (r->axis == FB_AXES || r->axis == FB_AXIS_UNKNOWN)
		return fb_cli_bad_axis(cli, err);
	if (r->axis == FB_AXIS_KERNEL && cli->rev)
		return fb_error_set(err, FB_E_USAGE,
				    "--rev is for other axes: the arms are "
				    "the kernels");
	if (r->axis == FB_AXIS_HOST)
		return read_host(cli, h, r, err);
	if (cli->undo)
		return fb_error_set(err, FB_E_USAGE,
				    "--undo belongs to --axis host");
	return 0;
}

int fb_cmd_compare(struct fb_cli *cli, struct fb_error *err)
{
	struct fb_session s;
	struct host_commands h = { 0 };
	struct fb_compare_request r;
	int64_t id = 0;
	int rc = read_request(cli, &h, &r, err);
	if (rc == 0)
		rc = fb_config_check(&cli->cfg, err);
	if (rc == 0)
		rc = fb_session_open(&s, &cli->cfg, cli->state, err);
	if (rc == 0) {
		rc = fb_session_compare(&s, &r, &id, err);
		if (rc == 0)
			rc = print_result(cli, s.db, id, err);
		fb_session_close(&s);
	}
	for (int i = 0; i < 2; i++)
		fb_strv_release(&h.set[i]);
	fb_strv_release(&h.undo);
	return rc;
}
