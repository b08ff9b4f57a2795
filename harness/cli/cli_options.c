/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "cleanup.h"
#include "command.h"
#include "errors.h"
#include "load.h"
#include "session.h"

#define CONFIG_FILE "firstbad.json"

enum {
	OPT_KEY = 256,
	OPT_CONFIG,
	OPT_STATE,
	OPT_JSON,
	OPT_QUIET,
	OPT_SET,
	OPT_EXEC,
	OPT_FIRST_PARENT,
	OPT_REPLAY,
	OPT_TERM_GOOD,
	OPT_TERM_BAD,
	OPT_DEADLINE,
	OPT_BOOTS,
	OPT_BOOT_ONLY,
	OPT_AXIS,
	OPT_REV,
	OPT_UNDO,
	OPT_HELP
};

/* One row per option: how it is written, and which key it sets if any. */
static const struct cli_option {
	const char *name, *argument, *key;
	bool quote; /* the argument is a string, not a number */
	int id;
	const char *help;
} options[] = {
	{ "config", "FILE", NULL, false, OPT_CONFIG,
	  "configuration (default: ./" CONFIG_FILE " when there)" },
	{ "state", "DIR", NULL, false, OPT_STATE,
	  "where results are kept (default: $XDG_STATE_HOME/firstbad)" },
	{ "json", NULL, NULL, false, OPT_JSON,
	  "print one JSON object on stdout" },
	{ "quiet", NULL, NULL, false, OPT_QUIET, "no progress on stderr" },
	{ "repo", "DIR", "repo", true, OPT_KEY, "kernel repository" },
	{ "metric", "NAME", "metric", true, OPT_KEY, "what is compared" },
	{ "threshold", "PERCENT", "threshold", false, OPT_KEY,
	  "smallest drop that counts" },
	{ "confidence", "P", "confidence", false, OPT_KEY,
	  "how sure to be, 0.5 to 1" },
	{ "runner", "KIND", "runner.kind", true, OPT_KEY, "qemu or exec" },
	{ "exec", "CMD", NULL, false, OPT_EXEC,
	  "command of the exec runner, split into words, no shell" },
	{ "deadline", "TIME", NULL, false, OPT_DEADLINE,
	  "stop after this long: 90s, 30m, 8h" },
	{ "max-builds", "N", "max_builds", false, OPT_KEY,
	  "build at most N kernels" },
	{ "first-parent", NULL, NULL, false, OPT_FIRST_PARENT,
	  "follow only the first parents of merges" },
	{ "surrogate", "NAME", "surrogate", true, OPT_KEY,
	  "a counter to step by; auto or off" },
	{ "replay", "LOG", NULL, false, OPT_REPLAY,
	  "`firstbad bisect`: go on from a log of git bisect" },
	{ "term-good", "WORD", NULL, false, OPT_TERM_GOOD,
	  "stands for good in git's state (also --term-old)" },
	{ "term-bad", "WORD", NULL, false, OPT_TERM_BAD,
	  "stands for bad (also --term-new)" },
	{ "term-old", "WORD", NULL, false, OPT_TERM_GOOD, NULL },
	{ "term-new", "WORD", NULL, false, OPT_TERM_BAD, NULL },
	{ "clock", "KIND", "machine.clock", true, OPT_KEY,
	  "the guest's: auto, host or icount" },
	{ "boots", "N", NULL, false, OPT_BOOTS,
	  "boots of `firstbad run`, or of each arm of compare" },
	{ "boot-only", NULL, NULL, false, OPT_BOOT_ONLY,
	  "`firstbad run` without any workload" },
	{ "rev", "REVISION", NULL, false, OPT_REV,
	  "`firstbad compare`: the kernel of both arms (default HEAD)" },
	{ "undo", "CMD", NULL, false, OPT_UNDO,
	  "with --axis host: sets the host back, whatever happens" },
	{ "axis", "NAME", NULL, false, OPT_AXIS,
	  "what the arms differ in: kernel, userspace, host, ..." },
	{ "set", "KEY=JSON", NULL, false, OPT_SET,
	  "set any key of the configuration" },
	{ "help", NULL, NULL, false, OPT_HELP, "show this" },
};
#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

static void list_options(void)
{
	puts("\noptions:");
	for (size_t i = 0; i < N_OPTIONS; i++) {
		const struct cli_option *o = &options[i];
		if (!o->help)
			continue; /* another name of one that is shown */
		fb_autofree char *left =
			fb_strf("--%s%s%s", o->name, o->argument ? " " : "",
				o->argument ? o->argument : "");
		printf("  %-22s %s\n", left, o->help);
	}
}

void fb_cli_usage(const struct fb_command *cmd)
{
	if (cmd) {
		printf("usage: firstbad %s %s\n\n%s\n", cmd->name, cmd->usage,
		       cmd->summary);
	} else {
		puts("usage: firstbad COMMAND [OPTION]... [ARGUMENT]...\n");
		for (const struct fb_command *c = fb_commands; c->name; c++) {
			fb_autofree char *left =
				fb_strf("%s %s", c->name, c->usage);
			printf("  %-22s %s\n", left, c->summary);
		}
	}
	list_options();
}

int fb_cli_bad_axis(const struct fb_cli *cli, struct fb_error *err)
{
	return fb_error_set(err, FB_E_USAGE,
			    "--axis: \"%s\" is none of kernel, kconfig, "
			    "cmdline, userspace, disk, machine, host, knob",
			    cli->axis);
}

/* A string as JSON text. */
static char *quote(const char *s)
{
	cJSON *item = cJSON_CreateString(s);
	char *text = cJSON_PrintUnformatted(item);
	cJSON_Delete(item);
	return text;
}

static int set_key(struct fb_cli *cli, const struct cli_option *o,
		   const char *value, struct fb_error *err)
{
	fb_autofree char *origin = fb_strf("--%s", o->name);
	fb_autofree char *json = o->quote ? quote(value) : fb_strdup(value);
	return fb_config_set(&cli->cfg, o->key, json, origin, err);
}

static int set_any(struct fb_cli *cli, const char *text, struct fb_error *err)
{
	size_t n = strcspn(text, "=");
	fb_autofree char *key = fb_strndup(text, n);
	fb_autofree char *origin = fb_strf("--set %s", key);
	if (text[n] != '=')
		return fb_error_set(err, FB_E_USAGE, "--set wants KEY=JSON");
	return fb_config_set(&cli->cfg, key, text + n + 1, origin, err);
}

int fb_cli_split(struct fb_strv *out, const char *text, const char *origin,
		 struct fb_error *err)
{
	if (access(text, X_OK) == 0) {
		fb_strv_add(out, text);
		return 0;
	}
	wordexp_t words;
	if (wordexp(text, &words, WRDE_NOCMD))
		return fb_error_set(err, FB_E_USAGE,
				    "%s: cannot split into words: %s (no "
				    "shell is involved; name one to use it: "
				    "sh -c '...')",
				    origin, text);
	for (size_t i = 0; i < words.we_wordc; i++)
		fb_strv_add(out, words.we_wordv[i]);
	wordfree(&words);
	return 0;
}

static int set_exec(struct fb_cli *cli, const char *text, struct fb_error *err)
{
	struct fb_strv *command = &cli->cfg.runner.command;
	cli->cfg.runner.kind = FB_RUNNER_EXEC;
	fb_strv_release(command);
	return fb_cli_split(command, text, "--exec", err);
}

static int set_deadline(struct fb_cli *cli, const char *text,
			struct fb_error *err)
{
	char unit = 's', rest;
	double value;
	int n = sscanf(text, "%lf%c%c", &value, &unit, &rest);
	double scale = unit == 's' ? 1 :
		       unit == 'm' ? 60 :
		       unit == 'h' ? 3600 :
				     0;
	if (n < 1 || n > 2 || !(value > 0) || scale == 0)
		return fb_error_set(err, FB_E_USAGE,
				    "--deadline wants a time such as 90s, 30m "
				    "or 8h");
	fb_autofree char *json = fb_strf("%.0f", value * scale);
	return fb_config_set(&cli->cfg, "deadline", json, "--deadline", err);
}

static int apply(struct fb_cli *cli, const struct cli_option *o,
		 const char *value, struct fb_error *err)
{
	long n;
	cli->sets_config |=
		o->key || o->id == OPT_SET || o->id == OPT_EXEC ||
		o->id == OPT_DEADLINE ||
		(o->id >= OPT_FIRST_PARENT && o->id <= OPT_TERM_BAD);
	switch (o->id) {
	case OPT_KEY:
		return set_key(cli, o, value, err);
	case OPT_STATE:
		free(cli->state);
		cli->state = fb_strdup(value);
		return 0;
	case OPT_JSON:
		cli->json = true;
		return 0;
	case OPT_QUIET:
		cli->quiet = true;
		return 0;
	case OPT_SET:
		return set_any(cli, value, err);
	case OPT_EXEC:
		return set_exec(cli, value, err);
	case OPT_FIRST_PARENT:
		cli->first_parent = true;
		return 0;
	case OPT_REPLAY:
		cli->replay = value;
		return 0;
	case OPT_TERM_GOOD:
		cli->term_good = value;
		return 0;
	case OPT_TERM_BAD:
		cli->term_bad = value;
		return 0;
	case OPT_BOOT_ONLY:
		cli->boot_only = true;
		return 0;
	case OPT_REV:
		cli->rev = value;
		return 0;
	case OPT_UNDO:
		cli->undo = value;
		return 0;
	case OPT_AXIS:
		cli->axis = value;
		return 0;
	case OPT_DEADLINE:
		return set_deadline(cli, value, err);
	case OPT_BOOTS:
		if (!fb_parse_long(value, 1, 10000, &n))
			return fb_error_set(err, FB_E_USAGE,
					    "--boots wants a number from 1 to "
					    "10000");
		cli->boots = (unsigned)n;
		return 0;
	}
	return 0;
}

/* Paths are stored, and used again from another directory by `resume`. */
static void make_absolute(char **path)
{
	char *full = realpath(*path, NULL);
	if (!full)
		return; /* whoever opens it has the better message */
	free(*path);
	*path = full;
}

static void make_paths_absolute(struct fb_config *cfg)
{
	make_absolute(&cfg->repo);
	if (cfg->runner.command.n && strchr(cfg->runner.command.v[0], '/'))
		make_absolute(&cfg->runner.command.v[0]);
	for (size_t i = 0; i < cfg->build.kconfig.n; i++)
		if (strchr(cfg->build.kconfig.v[i], '/'))
			make_absolute(&cfg->build.kconfig.v[i]);
}

struct given {
	const struct cli_option *option;
	const char *value;
};

static int read_options(int argc, char **argv, struct given *given, size_t *n,
			struct fb_error *err)
{
	struct option table[N_OPTIONS + 1] = { 0 };
	for (size_t i = 0; i < N_OPTIONS; i++)
		table[i] = (struct option){ options[i].name,
					    options[i].argument != NULL, NULL,
					    (int)i };
	opterr = 0;
	optind = 1;
	for (;;) {
		int c = getopt_long(argc, argv, ":", table, NULL);
		if (c < 0)
			return 0;
		if (c == '?' || c == ':')
			return fb_error_set(err, FB_E_USAGE,
					    c == ':' ? "%s wants an argument" :
						       "unknown option %s; see "
						       "firstbad help",
					    argv[optind - 1]);
		given[(*n)++] = (struct given){ &options[c], optarg };
	}
}

static int load_file(struct fb_cli *cli, const struct given *given, size_t n,
		     struct fb_error *err)
{
	const char *path = NULL;
	for (size_t i = 0; i < n; i++)
		if (given[i].option->id == OPT_CONFIG)
			path = given[i].value;
	if (!path && access(CONFIG_FILE, F_OK) == 0)
		path = CONFIG_FILE;
	if (!path)
		return 0;
	cli->config_path = fb_strdup(path);
	int rc = fb_config_load(&cli->cfg, path, err);
	return rc == FB_E_NOTFOUND ? (err->code = FB_E_USAGE) : rc;
}

int fb_cli_parse(struct fb_cli *cli, int argc, char **argv,
		 const struct fb_command *cmd, struct fb_error *err)
{
	size_t n = 0;
	fb_autofree struct given *given =
		fb_calloc((size_t)argc + 1, sizeof(*given));
	fb_config_init(&cli->cfg);
	int rc = read_options(argc, argv, given, &n, err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (given[i].option->id == OPT_HELP) {
			fb_cli_usage(cmd);
			return 1;
		}
	}
	/* `init` writes the file; it must not stumble over an old one. */
	if (rc == 0 && cmd->run != fb_cmd_init)
		rc = load_file(cli, given, n, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = apply(cli, given[i].option, given[i].value, err);
	if (rc)
		return rc;
	/* `init` writes what was said, not where it is today. */
	if (cmd->run != fb_cmd_init)
		make_paths_absolute(&cli->cfg);
	if (!cli->state)
		cli->state = fb_default_state();
	cli->args = argv + optind;
	cli->n_args = argc - optind;
	if (cli->n_args < cmd->min_args || cli->n_args > cmd->max_args)
		return fb_error_set(err, FB_E_USAGE, "usage: firstbad %s %s",
				    cmd->name, cmd->usage);
	return 0;
}

void fb_cli_release(struct fb_cli *cli)
{
	fb_config_release(&cli->cfg);
	free(cli->config_path);
	free(cli->state);
}

int fb_cli_bisection(struct fb_cli *cli, struct fb_db **db,
		     struct fb_bisection *b, struct fb_error *err)
{
	long id = 0;
	if (cli->n_args && !fb_parse_long(cli->args[0], 1, 1L << 40, &id))
		return fb_error_set(err, FB_E_USAGE,
				    "\"%s\" is not the number of a bisection",
				    cli->args[0]);
	fb_autofree char *path = fb_strf("%s/results.db", cli->state);
	int rc = fb_db_open_existing(db, path, err);
	if (rc)
		return rc;
	rc = fb_db_bisection_get(*db, id, b, err);
	if (rc) {
		fb_db_close(*db);
		*db = NULL;
	}
	return rc;
}
