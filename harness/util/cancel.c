/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cancel.h"

#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "errors.h"

static volatile sig_atomic_t cancelled;
static int event_fd = -1;

static void on_signal(int sig)
{
	if (cancelled)
		_exit(128 + sig);
	cancelled = 1;
	uint64_t one = 1;
	if (write(event_fd, &one, sizeof(one)) < 0)
		_exit(128 + sig);
}

/* What was ignored stays so: nohup, and background jobs of a shell. */
static void watch(int sig)
{
	struct sigaction old, sa = { .sa_handler = on_signal };
	sigemptyset(&sa.sa_mask);
	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(sig, &sa, NULL);
}

void fb_cancel_install(void)
{
	if (event_fd >= 0)
		return;
	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	watch(SIGINT);
	watch(SIGTERM);
	watch(SIGHUP);
	signal(SIGPIPE, SIG_IGN);
}

bool fb_cancelled(void)
{
	return cancelled;
}

int fb_cancel_fd(void)
{
	return event_fd;
}

int fb_cancel_check(struct fb_error *err)
{
	if (!cancelled)
		return 0;
	return fb_error_set(err, FB_E_CANCEL, "interrupted");
}
