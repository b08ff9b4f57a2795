/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands, and what they share. */
#ifndef FB_COMMAND_H
#define FB_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "db.h"

struct fb_error;

/* What every command is given, once the common options are read. */
struct fb_cli {
	struct fb_config cfg;
	char *config_path; /* the file that was read, or NULL */
	char *state;
	bool json, quiet;
	bool first_parent;
	const char *replay, *term_good, *term_bad; /* of bisect, or NULL */
	bool sets_config; /* an option changed the configuration */
	unsigned boots;	  /* 0: not given */
	bool boot_only;
	const char *axis;	/* of compare and verdict, or NULL */
	const char *rev, *undo; /* of compare, or NULL */
	char **args;		/* what is left, NULL-terminated */
	int n_args;
};

struct fb_command {
	const char *name;
	const char *usage;   /* arguments */
	const char *summary; /* one line */
	int min_args, max_args;
	/* Exit status, or a negative code with err set. */
	int (*run)(struct fb_cli *cli, struct fb_error *err);
};

extern const struct fb_command fb_commands[]; /* ended by a NULL name */

int fb_cmd_init(struct fb_cli *cli, struct fb_error *err);
int fb_cmd_run(struct fb_cli *cli, struct fb_error *err);
int fb_cmd_bisect(struct fb_cli *cli, struct fb_error *err);
int fb_cmd_resume(struct fb_cli *cli, struct fb_error *err);
int fb_cmd_status(struct fb_cli *cli, struct fb_error *err);
int fb_cmd_log(struct fb_cli *cli, struct fb_error *err);
int fb_cmd_report(struct fb_cli *cli, struct fb_error *err);
int fb_cmd_verdict(struct fb_cli *cli, struct fb_error *err);
int fb_cmd_compare(struct fb_cli *cli, struct fb_error *err);
int fb_cmd_help(struct fb_cli *cli, struct fb_error *err);

/*
 * Reads the common options and firstbad.json into cli->cfg. 0, 1 when help
 * was asked for and printed, or a negative code. The configuration
 * is not checked yet: not every command needs a valid one.
 */
int fb_cli_parse(struct fb_cli *cli, int argc, char **argv,
		 const struct fb_command *cmd, struct fb_error *err);
void fb_cli_release(struct fb_cli *cli);
void fb_cli_usage(const struct fb_command *cmd);

/* Words as a shell splits them, without a shell; appends to *out. */
int fb_cli_split(struct fb_strv *out, const char *text, const char *origin,
		 struct fb_error *err);

/* Says which axes there are. */
int fb_cli_bad_axis(const struct fb_cli *cli, struct fb_error *err);

/* Opens the database of cli->state and finds a bisection by its argument. */
int fb_cli_bisection(struct fb_cli *cli, struct fb_db **db,
		     struct fb_bisection *b, struct fb_error *err);

#endif
