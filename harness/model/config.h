/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything a user can set, in memory. Filled by harness/config, which owns
 * the defaults and the file format; all strings are owned by this structure.
 */
#ifndef FB_CONFIG_H
#define FB_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

enum fb_bus { FB_BUS_AHCI, FB_BUS_ATA, FB_BUS_VIRTIO, FB_BUS_NVME, FB_BUS_USB };
#define FB_BUS_COUNT 5
enum fb_accel { FB_ACCEL_AUTO, FB_ACCEL_KVM, FB_ACCEL_TCG };
enum fb_clock { FB_CLOCK_AUTO, FB_CLOCK_HOST, FB_CLOCK_ICOUNT };
enum fb_switch { FB_SWITCH_AUTO, FB_SWITCH_ON, FB_SWITCH_OFF };
enum fb_runner_kind { FB_RUNNER_QEMU, FB_RUNNER_EXEC };

/* One emulated disk; snapshot semantics: a boot never changes its image. */
struct fb_disk {
	char *name; /* prefix of its metrics, and (upper-cased) its serial */
	int bus;    /* enum fb_bus */
	unsigned size_mib;
	int filesystem;	     /* enum fb_filesystem */
	int profile;	     /* index into fb_profiles (profile.h) */
	char *mount_options; /* as of mount -o, or "" */
};

enum fb_filesystem {
	FB_FS_EXT4,
	FB_FS_EXT3,
	FB_FS_EXT2,
	FB_FS_XFS,
	FB_FS_BTRFS,
	FB_FS_RAW /* none: file workloads use the device itself */
};
extern const char *const fb_filesystem_names[]; /* NULL ends */

/* A program of the overlay that measures in the guest. */
struct fb_user_command {
	char *name; /* its metrics are NAME.FIGURE */
	struct fb_strv argv;
	/*
	 * "FIGURE=/json/pointer" into what it prints. Empty: it prints
	 * FIGURE=VALUE lines.
	 */
	struct fb_strv figures;
	bool mount;	/* runs in the disk's file system */
	double timeout; /* seconds */
};

#define FB_DISKS_MAX 8

struct fb_config {
	char *repo;	   /* any path that git finds a repository from */
	char *metric;	   /* what is bisected, or "auto" */
	char *surrogate;   /* a metric to step by, "auto" or "off" */
	bool proof;	   /* revert the culprit, and apply it alone */
	int better;	   /* enum fb_better */
	double threshold;  /* smallest drop that counts, percent */
	double confidence; /* asked of a decision, 0.5..1 */

	struct {
		unsigned endpoint;     /* boots of each end point, at first */
		unsigned endpoint_max; /* and at most */
		unsigned min, max; /* boots of a tested commit; max 0: any */
		int references;	   /* enum fb_switch */
		unsigned failures; /* failed boots that make a skip */
	} samples;

	struct {
		struct fb_strv kconfig; /* fragment names or paths */
		struct fb_strv make;	/* extra make arguments */
		unsigned jobs;		/* 0: one per processor */
		double timeout;		/* seconds */
	} build;

	struct {
		char *qemu;	 /* program */
		int accel;	 /* enum fb_accel */
		int clock;	 /* enum fb_clock */
		bool mix_clocks; /* instruction clock with throttled disks */
		unsigned memory_mib;
		unsigned cpus;
		char *cmdline;	     /* appended to the kernel command line */
		double boot_timeout; /* seconds until the probe speaks */
		double silence_timeout; /* seconds between its messages */
	} machine;

	struct fb_disk *disks;
	size_t n_disks;
	struct fb_user_command *commands;
	size_t n_commands;
	struct fb_strv knobs;	/* "PATH=VALUE": sysctls, queue settings */
	struct fb_strv overlay; /* directories and archives for the guest */

	struct fb_strv workloads; /* names or families, see metric.h */
	double read_seconds;	  /* length of an hdparm style read */
	unsigned file_mib;	  /* size of bonnie's file */
	unsigned char_kib;	  /* of bonnie's byte-at-a-time tests */
	unsigned files;		  /* of bonnie's file tests, in 1024s */
	unsigned dd_block;	  /* bytes */
	unsigned timeline_hz;	  /* rows a second; 0: none */
	bool keep_cache;	  /* drop no caches, as the tools themselves */

	struct {
		int kind; /* enum fb_runner_kind */
		struct fb_strv command;
		bool build;
		double timeout; /* seconds for one sample */
	} runner;

	double deadline;     /* seconds for the whole bisection; 0: none */
	unsigned max_builds; /* 0: no limit */
};

/* Does any disk have a profile, so that the device sets the pace? */
bool fb_config_throttled(const struct fb_config *cfg);

/* The command that produces a metric, disk prefix ignored; or NULL. */
const struct fb_user_command *
fb_config_command_for_metric(const struct fb_config *cfg, const char *metric);

/*
 * build.kconfig and, after it, the fragments that come with firstbad for the
 * buses, file systems and programs that are configured. Appends to `out`.
 */
void fb_config_fragments(const struct fb_config *cfg, struct fb_strv *out);

/* Size of bonnie's file: as set, or twice the guest's memory. */
unsigned fb_config_file_mib(const struct fb_config *cfg);

void fb_config_release(struct fb_config *cfg);
void fb_config_release_disks(struct fb_config *cfg);
void fb_config_release_commands(struct fb_config *cfg);

#endif
