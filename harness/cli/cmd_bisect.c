/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "command.h"
#include "errors.h"
#include "file.h"
#include "load.h"
#include "progress.h"
#include "report.h"
#include "session.h"

static int print_result(struct fb_cli *cli, struct fb_db *db, int64_t id,
			struct fb_error *err)
{
	struct fb_bisection b;
	int rc = fb_db_bisection_get(db, id, &b, err);
	if (rc)
		return rc;
	fb_progress_done();
	rc = cli->json ? fb_report_json(&b, stdout, err) :
			 fb_report_text(&b, stdout, err);
	if (rc == 0)
		rc = fb_report_exit_status(b.status);
	fb_bisection_release(&b);
	return rc;
}

/* What an interrupted bisection's user needs to know. */
static int explain_cancel(int rc, struct fb_error *err)
{
	if (rc != FB_E_CANCEL)
		return rc;
	return fb_error_set(err, FB_E_CANCEL,
			    "interrupted; `firstbad resume` goes on from here");
}

static int read_request(const struct fb_cli *cli, struct fb_bisect_request *r,
			struct fb_error *err)
{
	*r = (struct fb_bisect_request){ .replay = cli->replay,
					 .first_parent = cli->first_parent,
					 .term_good = cli->term_good,
					 .term_bad = cli->term_bad };
	if (cli->replay && cli->n_args)
		return fb_error_set(err, FB_E_USAGE,
				    "--replay takes good, bad and paths from "
				    "the log; \"%s\" is too much",
				    cli->args[0]);
	if (!cli->replay && cli->n_args < 2)
		return fb_error_set(err, FB_E_USAGE,
				    "usage: firstbad bisect GOOD BAD "
				    "[-- PATH...]");
	if (cli->replay)
		return 0;
	r->good = cli->args[0];
	r->bad = cli->args[1];
	r->paths = cli->args + 2;
	r->n_paths = (size_t)cli->n_args - 2;
	return 0;
}

int fb_cmd_bisect(struct fb_cli *cli, struct fb_error *err)
{
	struct fb_session s;
	int64_t id = 0;
	struct fb_bisect_request r;
	int rc = read_request(cli, &r, err);
	if (rc == 0)
		rc = fb_config_check(&cli->cfg, err);
	if (rc == 0)
		rc = fb_session_open(&s, &cli->cfg, cli->state, err);
	if (rc)
		return rc;
	rc = fb_session_bisect(&s, &r, &id, err);
	rc = rc ? explain_cancel(rc, err) : print_result(cli, s.db, id, err);
	fb_session_close(&s);
	return rc;
}

/* The configuration that the bisection began with, not today's. */
static int stored_config(struct fb_cli *cli, const struct fb_bisection *b,
			 struct fb_error *err)
{
	fb_config_release(&cli->cfg);
	fb_config_init(&cli->cfg);
	int rc = fb_config_parse(&cli->cfg, b->config, "stored configuration",
				 err);
	if (rc)
		return rc;
	free(cli->cfg.repo);
	cli->cfg.repo = fb_strdup(b->repo);
	return fb_config_check(&cli->cfg, err);
}

static int resume(struct fb_cli *cli, const struct fb_bisection *b,
		  struct fb_error *err)
{
	struct fb_session s;
	int rc = stored_config(cli, b, err);
	if (rc == 0)
		rc = fb_session_open(&s, &cli->cfg, cli->state, err);
	if (rc)
		return rc;
	rc = fb_session_resume(&s, b, err);
	rc = rc ? explain_cancel(rc, err) : print_result(cli, s.db, b->id, err);
	fb_session_close(&s);
	return rc;
}

int fb_cmd_resume(struct fb_cli *cli, struct fb_error *err)
{
	struct fb_bisection b;
	struct fb_db *db;
	if (cli->sets_config)
		return fb_error_set(err, FB_E_USAGE,
				    "resume goes on with the configuration it "
				    "began with; only --state, --json and "
				    "--quiet can be given");
	int rc = fb_cli_bisection(cli, &db, &b, err);
	if (rc)
		return rc;
	if (b.result) {
		fb_info("bisection %lld is finished already", (long long)b.id);
		rc = print_result(cli, db, b.id, err);
	}
	fb_db_close(db);
	if (!b.result)
		rc = resume(cli, &b, err);
	fb_bisection_release(&b);
	return rc;
}
