/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firstbad-probe: the static program that is PID 1 in a guest and an ordinary
 * command on a bare machine. It uses no library but libc and must run on any
 * kernel since 2.6. These are the shapes that its files share.
 */
#ifndef FB_PROBE_H
#define FB_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KIB 1024
#define MIB (1024 * 1024)
#define MAX_DISKS 8
#define MAX_RUNS 128
#define MAX_COMMANDS 8
#define MAX_KNOBS 32
#define MAX_ARGS 32

struct report;

struct disk {
	char name[32];	   /* prefix of its metrics */
	char serial[24];   /* what it is found by */
	char fs[16];	   /* file system on it, or "raw" */
	char options[128]; /* it is mounted with, or "" */
	char dev[64];	   /* /dev path; "" while not found */
	char kname[32];	   /* name in diskstats */
	char dir[256];	   /* where the file system is mounted, or "" */
	bool mounted;	   /* by us: to be unmounted */
};

struct params {
	double seconds;	   /* length of a timed read */
	unsigned file_mib; /* size of the file of the file system tests */
	unsigned char_kib; /* of the byte-at-a-time tests */
	unsigned files;	   /* of the create/stat/delete tests, in 1024s */
	unsigned dd_block; /* bytes */
	unsigned hz;	   /* rows of the timeline a second */
	/*
	 * As hdparm and bonnie++ do: caches are left as they are. What then
	 * came from a cache is called so and not reported as speed.
	 */
	bool keep_cache;
};

/* A program of the user's overlay that measures. */
struct command {
	char name[48];
	char *argv[MAX_ARGS + 1];
	size_t argc;
	bool mount;	/* run it inside the disk's file system */
	double seconds; /* time limit */
};

/* One line of the job: a workload or command on a disk. */
struct run {
	char workload[48];
	char disk[32];
	char target[32]; /* of a copy; "" */
};

/* Absolute, or below /sys/block/DISK of every disk. */
struct knob {
	char path[128], value[64];
};

struct job {
	char token[17];
	bool prefix; /* several disks: put their names into metric names */
	struct params params;
	struct disk disks[MAX_DISKS];
	size_t n_disks;
	struct command commands[MAX_COMMANDS];
	size_t n_commands;
	struct run runs[MAX_RUNS];
	size_t n_runs;
	struct knob knobs[MAX_KNOBS];
	size_t n_knobs;
};

/* What a workload works with. All is borrowed but the disks' mount state. */
struct task {
	struct report *r;
	const struct params *p;
	struct disk *d;
	struct disk *target; /* where a copy goes; d itself with one disk */
	long arg;	     /* of the workload's row */
	const struct command *command; /* NULL for our own workloads */
};

/* job.c: reads the job file; -1 with a message on stderr. */
int job_read(const char *path, struct job *job);

/* clock.c: monotonic, in seconds. */
double now_seconds(void);

#endif
