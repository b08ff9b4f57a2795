/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children, through libuv. Each runs in a process group of its own, which is
 * ended as a whole on time-out and on cancellation, and is signalled by the
 * kernel when we die ourselves, however that happens.
 */
#ifndef FB_PROCESS_H
#define FB_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct fb_error;

struct fb_process {
	const char *const *argv; /* argv[0] is looked up on PATH */
	const char *cwd;	 /* NULL: ours */
	const char *const *env; /* NAME=VALUE to add, NAME to remove; or NULL */
	const char *log_path;	/* gets stderr, and stdout without `line` */
	/* Called for each line of stdout; may be NULL. */
	void (*line)(void *data, char *line, size_t len, bool cut);
	void *data;
	double timeout;	 /* seconds; 0: none */
	int kill_signal; /* 0: SIGTERM; SIGKILL follows after 5 s */
};

struct fb_process_result {
	int status; /* exit status when signal == 0 */
	int signal; /* that ended it, or 0 */
	bool timed_out;
	double seconds;
};

/* Ended by itself, in time, with exit status 0. */
bool fb_process_succeeded(const struct fb_process_result *r);

/*
 * Runs to the end. A child that fails is a result; FB_E_MACHINE means that it
 * could not be started, FB_E_CANCEL that we were interrupted.
 */
int fb_process_run(const struct fb_process *p, struct fb_process_result *out,
		   struct fb_error *err);

/* Runs, and fails with FB_E_MACHINE unless the exit status is 0. */
int fb_process_check(const struct fb_process *p, struct fb_error *err);

/*
 * For those that need a loop of their own: spawns with our environment plus
 * p->env and the death signal arranged. Fills in everything of `options` but
 * stdio, stdio_count and exit_cb. 0 or a libuv error.
 */
int fb_process_spawn(uv_loop_t *loop, uv_process_t *handle,
		     const struct fb_process *p, uv_process_options_t *options);

/* Signals the whole group of a child started by fb_process_spawn(). */
void fb_process_signal(const uv_process_t *handle, int signal);

/* A handle that closes the loop's work when fb_cancelled(); see uv_poll. */
int fb_cancel_watch(uv_loop_t *loop, uv_poll_t *handle, uv_poll_cb cb);

/* Runs the loop until every handle that is still open has closed. */
void fb_loop_drain(uv_loop_t *loop);

#endif
