/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The job file: one word and its arguments a line, so that a probe without
 * any library reads it.
 *
 *	token 0123456789abcdef
 *	seconds 3
 *	file_mib 128
 *	char_kib 3072
 *	files 16
 *	dd_block 1024
 *	hz 1
 *	keep_cache 0
 *	disk NAME SERIAL FILESYSTEM
 *	mount OPTIONS			of the last disk's file system
 *	knob PATH VALUE			below /sys/block/DISK, or absolute
 *	command NAME SECONDS MOUNT(0 or 1)
 *	arg TEXT			of the last command, in order
 *	run WORKLOAD-OR-COMMAND DISK TARGET-DISK
 */
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_SIZE 4096

static bool parse_parameter(const char *line, struct job *job)
{
	struct params *p = &job->params;
	const struct {
		const char *key;
		unsigned *value;
	} numbers[] = {
		{ "file_mib", &p->file_mib },
		{ "char_kib", &p->char_kib },
		{ "files", &p->files },
		{ "dd_block", &p->dd_block },
		{ "hz", &p->hz },
	};
	unsigned flag;
	char key[32];
	unsigned value;
	if (sscanf(line, "token %16[0-9a-f]", job->token) == 1 ||
	    sscanf(line, "seconds %lf", &p->seconds) == 1)
		return true;
	if (sscanf(line, "keep_cache %u", &flag) == 1) {
		p->keep_cache = flag;
		return true;
	}
	if (sscanf(line, "%31s %u", key, &value) != 2)
		return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(key, numbers[i].key) == 0) {
			*numbers[i].value = value;
			return true;
		}
	}
	return false;
}

static bool parse_argument(const char *line, struct job *job)
{
	if (strncmp(line, "arg ", 4) != 0 || !job->n_commands)
		return false;
	struct command *c = &job->commands[job->n_commands - 1];
	if (c->argc == MAX_ARGS)
		return false;
	c->argv[c->argc++] = strndup(line + 4, strcspn(line + 4, "\n"));
	return true;
}

static bool parse_setting(const char *line, struct job *job)
{
	struct knob knob = { 0 };
	if (sscanf(line, "knob %127s %63[^\n]", knob.path, knob.value) == 2) {
		if (job->n_knobs == MAX_KNOBS)
			return false;
		job->knobs[job->n_knobs++] = knob;
		return true;
	}
	return job->n_disks &&
	       sscanf(line, "mount %127s",
		      job->disks[job->n_disks - 1].options) == 1;
}

static bool parse_line(const char *line, struct job *job)
{
	struct disk disk = { 0 };
	struct run run = { 0 };
	struct command c = { 0 };
	unsigned mount;

	if (sscanf(line, "disk %31s %23s %15s", disk.name, disk.serial,
		   disk.fs) == 3) {
		if (job->n_disks == MAX_DISKS)
			return false;
		job->disks[job->n_disks++] = disk;
		return true;
	}
	if (sscanf(line, "run %47s %31s %31s", run.workload, run.disk,
		   run.target) == 3) {
		if (job->n_runs == MAX_RUNS)
			return false;
		job->runs[job->n_runs++] = run;
		return true;
	}
	if (sscanf(line, "command %47s %lf %u", c.name, &c.seconds, &mount) ==
	    3) {
		if (job->n_commands == MAX_COMMANDS)
			return false;
		c.mount = mount;
		job->commands[job->n_commands++] = c;
		return true;
	}
	return parse_argument(line, job) || parse_setting(line, job) ||
	       parse_parameter(line, job);
}

int job_read(const char *path, struct job *job)
{
	memset(job, 0, sizeof(*job));
	FILE *f = fopen(path, "re");
	if (!f) {
		perror(path);
		return -1;
	}
	static char line[LINE_MAX_SIZE];
	bool ok = true;
	while (ok && fgets(line, sizeof(line), f)) {
		ok = strchr(line, '\n') && parse_line(line, job);
		if (!ok)
			fprintf(stderr, "%s: cannot read: %s\n", path, line);
	}
	fclose(f);
	job->prefix = job->n_disks > 1;
	return ok ? 0 : -1;
}
