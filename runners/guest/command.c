/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of the user's overlay. What it prints goes to the host, which
 * knows how to read its figures. It finds FIRSTBAD_DEV (the disk),
 * FIRSTBAD_DIR (the mounted file system, also its working directory) and
 * FIRSTBAD_FILE_MIB.
 */
#include "disk.h"
#include "window.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (256 * KIB)

static char output[OUTPUT_MAX];

static void become(struct task *t, int out)
{
	const struct disk *d = t->d;
	char mib[16];
	int null = open("/dev/null", O_RDONLY);
	dup2(null, 0);
	dup2(out, 1); /* its complaints go to the console */
	snprintf(mib, sizeof(mib), "%u", t->p->file_mib);
	setenv("FIRSTBAD_DEV", d->dev, 1);
	setenv("FIRSTBAD_DIR", t->command->mount ? d->dir : "", 1);
	setenv("FIRSTBAD_FILE_MIB", mib, 1);
	setenv("PATH",
	       "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
	       "/sbin:/bin",
	       0);
	setenv("HOME", "/", 0);
	setsid();
	if (t->command->mount && d->dir[0] && chdir(d->dir))
		_exit(126);
	execvp(t->command->argv[0], t->command->argv);
	fprintf(stderr, "firstbad-probe: %s: %s\n", t->command->argv[0],
		strerror(errno));
	_exit(127);
}

/* Reads until the pipe is closed; false when the time is over. */
static bool collect(const struct window *w, int fd, size_t *len)
{
	char excess[4096];
	for (;;) {
		double left = w->t->command->seconds - window_elapsed(w);
		struct pollfd p = { .fd = fd, .events = POLLIN };
		if (left <= 0)
			return false;
		if (poll(&p, 1, (int)(left * 1e3) + 1) <= 0)
			continue;
		bool fits = *len < OUTPUT_MAX;
		ssize_t n = fits ? read(fd, output + *len, OUTPUT_MAX - *len) :
				   read(fd, excess, sizeof(excess));
		if (n == 0 || (n < 0 && errno != EINTR))
			return true;
		*len += fits && n > 0 ? (size_t)n : 0;
	}
}

static int judge(struct task *t, int status, bool in_time)
{
	const char *name = t->command->name;
	if (!in_time)
		return report_error(t->r, "%s took more than %g s", name,
				    t->command->seconds);
	if (WIFSIGNALED(status))
		return report_error(t->r, "%s was ended by signal %d", name,
				    WTERMSIG(status));
	if (WEXITSTATUS(status))
		return report_error(t->r, "%s failed with %d", name,
				    WEXITSTATUS(status));
	return 0;
}

static int run(struct task *t, int pipes[2])
{
	struct window w;
	size_t len = 0;
	int status = 0;
	drop_caches(t->p);
	if (window_open(&w, t, t->command->name))
		return -1;
	pid_t pid = fork();
	if (pid < 0)
		return report_error(t->r, "cannot fork: %s", strerror(errno));
	if (pid == 0)
		become(t, pipes[1]);
	close(pipes[1]);
	pipes[1] = -1;
	bool in_time = collect(&w, pipes[0], &len);
	if (!in_time)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (judge(t, status, in_time))
		return -1;
	int rc = window_close(&w, 0, FROM_CACHE);
	report_output(t->r, w.name, output, len);
	report_command(t->r, w.name);
	return rc;
}

int command_run(struct task *t)
{
	int pipes[2];
	if (t->command->mount ? disk_mount(t, t->d) : disk_unmount(t, t->d))
		return -1;
	if (pipe2(pipes, O_CLOEXEC))
		return report_error(t->r, "no pipe: %s", strerror(errno));
	int rc = run(t, pipes);
	close(pipes[0]);
	if (pipes[1] >= 0)
		close(pipes[1]);
	return rc;
}
