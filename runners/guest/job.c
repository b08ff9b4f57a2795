/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The job file: one word and its arguments a line, so that a probe without
 * any library reads it.
 *
 *	token 0123456789abcdef
 *	seconds 3
 *	file_mib 128
 *	disk NAME SERIAL FILESYSTEM
 *	run WORKLOAD DISK
 */
#include "probe.h"

#include <stdio.h>
#include <string.h>

static int parse_line(const char *line, struct job *job)
{
	struct disk disk = { 0 };
	struct run run = { 0 };

	if (sscanf(line, "token %16[0-9a-f]", job->token) == 1 ||
	    sscanf(line, "seconds %lf", &job->params.seconds) == 1 ||
	    sscanf(line, "file_mib %u", &job->params.file_mib) == 1)
		return 0;
	if (sscanf(line, "disk %31s %23s %15s", disk.name, disk.serial,
		   disk.fs) == 3 &&
	    job->n_disks < MAX_DISKS) {
		job->disks[job->n_disks++] = disk;
		return 0;
	}
	if (sscanf(line, "run %47s %31s", run.workload, run.disk) == 2 &&
	    job->n_runs < MAX_RUNS) {
		job->runs[job->n_runs++] = run;
		return 0;
	}
	return -1;
}

int job_read(const char *path, struct job *job)
{
	memset(job, 0, sizeof(*job));
	FILE *f = fopen(path, "re");
	if (!f) {
		perror(path);
		return -1;
	}
	char line[256];
	int rc = 0;
	while (rc == 0 && fgets(line, sizeof(line), f)) {
		rc = parse_line(line, job);
		if (rc)
			fprintf(stderr, "%s: cannot read: %s", path, line);
	}
	fclose(f);
	job->prefix = job->n_disks > 1;
	return rc;
}
