/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "disk.h"
#include "workload.h"

#define JOB_FILE "/firstbad.job"
#define START_FILE "/etc/firstbad-start"
#define RESULT_TTY "/dev/ttyS1"

static void mount_basics(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mkdir("/tmp", 01777);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
	if (mount("devtmpfs", "/dev", "devtmpfs", 0, NULL) == 0)
		return;
	/* Absent before 2.6.32: what is needed is made by hand. */
	mknod(RESULT_TTY, S_IFCHR | 0600, makedev(4, 65));
	mknod("/dev/null", S_IFCHR | 0666, makedev(1, 3));
	mknod("/dev/zero", S_IFCHR | 0666, makedev(1, 5));
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

static struct disk *find_disk(struct job *job, const char *name)
{
	for (size_t i = 0; i < job->n_disks; i++)
		if (strcmp(job->disks[i].name, name) == 0)
			return &job->disks[i];
	return NULL;
}

static const struct command *find_command(const struct job *job,
					  const char *name)
{
	for (size_t i = 0; i < job->n_commands; i++)
		if (strcmp(job->commands[i].name, name) == 0)
			return &job->commands[i];
	return NULL;
}

static int run_one(struct job *job, struct report *r, const struct run *run)
{
	const struct workload *w = workload_find(run->workload);
	struct task t = {
		.r = r,
		.p = &job->params,
		.d = find_disk(job, run->disk),
		.target = find_disk(job, run->target),
		.arg = w ? w->arg : 0,
		.command = w ? NULL : find_command(job, run->workload),
	};
	if ((!w && !t.command) || !t.d || !t.target)
		return report_error(r, "the job asks for %s on %s and %s",
				    run->workload, run->disk, run->target);
	return w ? w->run(&t) : command_run(&t);
}

/*
 * What an overlay wants running beside the measurements, as a daemon that is
 * under suspicion: the program goes into the background itself.
 */
static int start_user_space(struct report *r)
{
	int status;
	if (access(START_FILE, X_OK))
		return 0;
	pid_t pid = fork();
	if (pid == 0) {
		execl(START_FILE, START_FILE, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return report_error(r, START_FILE " failed");
	report_setting(r, "system", "start", START_FILE);
	return 0;
}

static int run_job(struct job *job, struct report *r)
{
	report_system(r);
	if (modules_load(r) || disks_find(job, r))
		return -1;
	if (knobs_set(job, r) || start_user_space(r))
		return -1;
	for (size_t i = 0; i < job->n_disks; i++)
		report_settings(r, &job->disks[i]);
	for (size_t i = 0; i < job->n_runs; i++)
		if (run_one(job, r, &job->runs[i]))
			return -1;
	return 0;
}

void guest(void)
{
	static struct job job;
	struct report r = { .framed = true };
	double started = now_seconds();
	mount_basics();
	r.fd = open_channel();
	if (r.fd < 0) {
		perror("firstbad-probe: " RESULT_TTY);
	} else if (job_read(JOB_FILE, &job) == 0) {
		memcpy(r.token, job.token, sizeof(r.token));
		r.prefix = job.prefix;
		report_hello(&r, started);
		if (run_job(&job, &r) == 0)
			report_done(&r);
		tcdrain(r.fd);
	}
	/*
	 * With QEMU's -no-reboot this ends the machine, even without ACPI.
	 * Nothing is synced: the disks are thrown away.
	 */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}
