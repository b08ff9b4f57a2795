/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#define JOB_FILE "/firstbad.job"
#define RESULT_TTY "/dev/ttyS1"

const struct workload workloads[] = {
	{ "hdparm.cached_read", "hdparm", hdparm_cached, false },
	{ "hdparm.buffered_read", "hdparm", hdparm_buffered, false },
	{ "hdparm.direct_read", "hdparm", hdparm_direct, false },
	{ "bonnie.block", "bonnie", bonnie_block, true },
	{ NULL, NULL, NULL, false },
};

static const struct workload *find_workload(const char *name)
{
	for (const struct workload *w = workloads; w->name; w++)
		if (strcmp(w->name, name) == 0)
			return w;
	return NULL;
}

static const struct disk *find_disk(const struct job *job, const char *name)
{
	for (size_t i = 0; i < job->n_disks; i++)
		if (strcmp(job->disks[i].name, name) == 0)
			return &job->disks[i];
	return NULL;
}

static void mount_basics(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	/* Absent before 2.6.32; then nodes are made by hand. */
	if (mount("devtmpfs", "/dev", "devtmpfs", 0, NULL))
		mknod(RESULT_TTY, S_IFCHR | 0600, makedev(4, 65));
}

static int open_channel(void)
{
	int fd = open(RESULT_TTY, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios t;
	if (fd < 0 || tcgetattr(fd, &t))
		return -1;
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	cfsetspeed(&t, B115200);
	if (tcsetattr(fd, TCSANOW, &t))
		return -1;
	return fd;
}

/* What the disk and its queue are set to, once a boot. */
static void report_settings(struct report *r, const struct disk *d)
{
	static const char *const keys[] = { "read_ahead_kb", "max_sectors_kb",
					    "nr_requests", NULL };
	char name[64], path[128];
	report_name(r, d, "disk", name, sizeof(name));
	for (const char *const *k = keys; *k; k++) {
		double value;
		snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", d->kname,
			 *k);
		FILE *f = fopen(path, "re");
		if (!f)
			continue;
		if (fscanf(f, "%lf", &value) == 1)
			report_evidence(r, name, "queue", *k, value);
		fclose(f);
	}
	int mwdma, udma = disk_transfer_mode(d->dev, &mwdma);
	report_evidence(r, name, "ata", "udma_mode", udma);
	report_evidence(r, name, "ata", "mwdma_mode", mwdma);
}

static int run_job(struct job *job, struct report *r)
{
	if (disks_find(job, r))
		return -1;
	for (size_t i = 0; i < job->n_disks; i++)
		report_settings(r, &job->disks[i]);
	for (size_t i = 0; i < job->n_runs; i++) {
		const struct run *run = &job->runs[i];
		const struct workload *w = find_workload(run->workload);
		const struct disk *d = find_disk(job, run->disk);
		if (!w || !d)
			return report_error(r, "the job asks for %s on %s",
					    run->workload, run->disk);
		if (w->run(r, d, &job->params))
			return -1;
	}
	return 0;
}

static void guest(void)
{
	static struct job job;
	struct report r = { .framed = true };
	mount_basics();
	r.fd = open_channel();
	if (r.fd < 0) {
		perror("firstbad-probe: " RESULT_TTY);
	} else if (job_read(JOB_FILE, &job) == 0) {
		memcpy(r.token, job.token, sizeof(r.token));
		r.prefix = job.prefix;
		report_hello(&r);
		if (run_job(&job, &r) == 0)
			report_done(&r);
		tcdrain(r.fd);
	}
	sync();
	/* With QEMU's -no-reboot this ends the machine, even without ACPI. */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static int usage(FILE *f, int status)
{
	fputs("usage: firstbad-probe --disk DEVICE [--seconds N] "
	      "[hdparm | WORKLOAD]...\n"
	      "Reads only. Workloads:",
	      f);
	for (const struct workload *w = workloads; w->name; w++)
		if (!w->writes)
			fprintf(f, " %s", w->name);
	fputs("\n", f);
	return status;
}

static bool selected(const struct workload *w, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(w->name, *names) == 0 ||
		    strcmp(w->family, *names) == 0)
			return true;
	return false;
}

static bool known(const char *name)
{
	const char *one[] = { name, NULL };
	for (const struct workload *w = workloads; w->name; w++)
		if (!w->writes && selected(w, one))
			return true;
	return false;
}

static int command(char **argv)
{
	struct disk d = { .name = "disk" };
	struct params p = { .seconds = 3 };
	static const char *const by_default[] = { "hdparm.cached_read",
						  "hdparm.buffered_read",
						  NULL };

	for (; *argv && strncmp(*argv, "--", 2) == 0; argv += 2) {
		if (strcmp(*argv, "--help") == 0)
			return usage(stdout, 0);
		if (!argv[1])
			return usage(stderr, 1);
		if (strcmp(*argv, "--disk") == 0)
			snprintf(d.dev, sizeof(d.dev), "%s", argv[1]);
		else if (strcmp(*argv, "--seconds") == 0)
			p.seconds = atof(argv[1]);
		else
			return usage(stderr, 1);
	}
	if (!d.dev[0] || p.seconds <= 0)
		return usage(stderr, 1);
	for (char **name = argv; *name; name++)
		if (!known(*name))
			return usage(stderr, 1);

	const char *slash = strrchr(d.dev, '/');
	snprintf(d.kname, sizeof(d.kname), "%.31s", slash ? slash + 1 : d.dev);
	struct report r = { .framed = false };
	report_text(&r, "\n%s:\n", d.dev);
	for (const struct workload *w = workloads; w->name; w++)
		if (!w->writes &&
		    selected(w,
			     *argv ? (const char *const *)argv : by_default) &&
		    w->run(&r, &d, &p))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (getpid() == 1)
		guest();
	if (argc < 2)
		return usage(stderr, 1);
	return command(argv + 1);
}
