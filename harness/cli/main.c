/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cancel.h"
#include "command.h"
#include "errors.h"
#include "progress.h"

const struct fb_command fb_commands[] = {
	{ "bisect", "GOOD BAD [-- PATH...]",
	  "find the first bad commit (or --replay LOG)", 0, 1 << 16,
	  fb_cmd_bisect },
	{ "run", "[REVISION]", "build, boot and measure one revision", 0, 1,
	  fb_cmd_run },
	{ "compare", "A B", "measure two arms that differ on one axis", 2, 2,
	  fb_cmd_compare },
	{ "resume", "[ID]", "continue a bisection that was cut off", 0, 1,
	  fb_cmd_resume },
	{ "status", "", "list the bisections and comparisons that are stored",
	  0, 0, fb_cmd_status },
	{ "log", "[ID]", "every step of a bisection, and why", 0, 1,
	  fb_cmd_log },
	{ "report", "[ID]",
	  "print a result again: of bisection 3, or of comparison c3", 0, 1,
	  fb_cmd_report },
	{ "verdict", "A B [STOPPED]",
	  "what figures of two arms mean: FILE[:REGEX], or one arms file", 1, 3,
	  fb_cmd_verdict },
	{ "init", "", "write a commented firstbad.json", 0, 0, fb_cmd_init },
	{ "help", "[COMMAND]", "show this, or the options of a command", 0, 1,
	  fb_cmd_help },
	{ NULL, NULL, NULL, 0, 0, NULL },
};

static const struct fb_command *find(const char *name)
{
	for (const struct fb_command *c = fb_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

int fb_cmd_help(struct fb_cli *cli, struct fb_error *err)
{
	const struct fb_command *cmd = cli->n_args ? find(cli->args[0]) : NULL;
	if (cli->n_args && !cmd)
		return fb_error_set(err, FB_E_USAGE, "no command \"%s\"",
				    cli->args[0]);
	fb_cli_usage(cmd);
	return 0;
}

static int run(int argc, char **argv, struct fb_error *err)
{
	struct fb_cli cli = { 0 };
	const char *name = argc > 1 ? argv[1] : "help";
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	if (strcmp(name, "--version") == 0) {
		puts("firstbad " FB_VERSION);
		return 0;
	}
	const struct fb_command *cmd = find(name);
	if (!cmd)
		return fb_error_set(err, FB_E_USAGE,
				    "no command \"%s\"; see firstbad help",
				    name);
	int rc = fb_cli_parse(&cli, argc > 1 ? argc - 1 : argc,
			      argc > 1 ? argv + 1 : argv, cmd, err);
	if (rc == 0) {
		fb_progress_init(cli.quiet);
		rc = cmd->run(&cli, err);
	} else if (rc > 0) {
		rc = 0;
	}
	fb_cli_release(&cli);
	return rc;
}

int main(int argc, char **argv)
{
	struct fb_error err = FB_ERROR_INIT;
	fb_cancel_install();
	int rc = run(argc, argv, &err);
	fb_progress_done();
	if (rc < 0) {
		fprintf(stderr, "firstbad: %s\n",
			err.message ? err.message : "unknown error");
		rc = fb_exit_status((enum fb_code)rc);
	}
	fb_error_release(&err);
	return rc;
}
