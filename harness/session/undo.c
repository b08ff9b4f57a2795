/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "errors.h"

/* The child: nothing but what is safe after fork(). */
static _Noreturn void guard(int fd, const char *const *argv)
{
	char byte;
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

int fb_undo_arm(struct fb_undo *u, const char *const *argv,
		struct fb_error *err)
{
	int ends[2];
	*u = (struct fb_undo){ .argv = argv, .fd = -1 };
	if (!argv)
		return 0;
	if (pipe2(ends, O_CLOEXEC))
		return fb_error_errno(err, FB_E_MACHINE, "cannot make a pipe");
	u->guardian = fork();
	if (u->guardian == 0) {
		close(ends[1]);
		guard(ends[0], argv);
	}
	close(ends[0]);
	if (u->guardian < 0) {
		close(ends[1]);
		return fb_error_errno(err, FB_E_MACHINE, "cannot fork");
	}
	u->fd = ends[1];
	return 0;
}

int fb_undo_run(struct fb_undo *u, struct fb_error *err)
{
	int status;
	if (u->fd < 0)
		return 0;
	close(u->fd);
	u->fd = -1;
	while (waitpid(u->guardian, &status, 0) < 0)
		if (errno != EINTR)
			return fb_error_errno(err, FB_E_MACHINE,
					      "cannot wait for %s", u->argv[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return fb_error_set(
		err, FB_E_MACHINE,
		"the undo command %s failed (%s %d): the host may "
		"not be as it was",
		u->argv[0], WIFEXITED(status) ? "exit status" : "signal",
		WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}
