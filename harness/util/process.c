/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cancel.h"
#include "cleanup.h"
#include "clock.h"
#include "errors.h"
#include "file.h"
#include "lines.h"
#include "progress.h"
#include "text.h"

#define GRACE_MS 5000
#define PIPE_GRACE_MS 1000
#define LINE_MAX_BYTES 65536

extern char **environ;

struct child {
	const struct fb_process *p;
	struct fb_process_result *result;
	uv_process_t process;
	uv_pipe_t out;
	uv_timer_t timeout, grace, tick;
	uv_poll_t cancel;
	struct fb_lines lines;
	bool exited, piped, cancelled;
	char buf[65536];
};

static bool names(const char *const *list, const char *entry)
{
	size_t n = strcspn(entry, "=");
	for (; list && *list; list++)
		if (strncmp(*list, entry, n) == 0 &&
		    ((*list)[n] == '=' || (*list)[n] == '\0'))
			return true;
	return false;
}

static void build_env(struct fb_strv *out, const char *const *extra)
{
	for (char **e = environ; *e; e++)
		if (!names(extra, *e))
			fb_strv_add(out, *e);
	for (; extra && *extra; extra++)
		if (strchr(*extra, '='))
			fb_strv_add(out, *extra);
}

int fb_process_spawn(uv_loop_t *loop, uv_process_t *handle,
		     const struct fb_process *p, uv_process_options_t *options)
{
	int signal = p->kill_signal ? p->kill_signal : SIGTERM;
	struct fb_strv argv = { 0 }, env = { 0 };

	build_env(&env, p->env);
	/* libuv offers no hook between fork and exec; util-linux does. */
	fb_strv_add(&argv, "setpriv");
	fb_strv_add(&argv, "--pdeathsig");
	fb_strv_add(&argv, sigabbrev_np(signal));
	fb_strv_add(&argv, "--");
	fb_autofree char *program = fb_find_program(p->argv[0]);
	fb_strv_add(&argv, program ? program : p->argv[0]);
	for (const char *const *a = p->argv + 1; *a; a++)
		fb_strv_add(&argv, *a);

	options->file = argv.v[0];
	options->args = argv.v;
	options->env = env.v;
	options->cwd = p->cwd;
	options->flags = UV_PROCESS_DETACHED;
	int rc = uv_spawn(loop, handle, options);
	fb_strv_release(&argv);
	fb_strv_release(&env);
	return rc;
}

void fb_process_signal(const uv_process_t *handle, int signal)
{
	if (handle->pid > 0)
		kill(-handle->pid, signal);
}

int fb_cancel_watch(uv_loop_t *loop, uv_poll_t *handle, uv_poll_cb cb)
{
	if (fb_cancel_fd() < 0)
		return 0;
	int rc = uv_poll_init(loop, handle, fb_cancel_fd());
	if (rc == 0)
		rc = uv_poll_start(handle, UV_READABLE, cb);
	return rc;
}

static void close_handle(uv_handle_t *h, void *arg)
{
	(void)arg;
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

void fb_loop_drain(uv_loop_t *loop)
{
	uv_walk(loop, close_handle, NULL);
	while (uv_run(loop, UV_RUN_DEFAULT))
		;
	int rc = uv_loop_close(loop);
	assert(rc == 0);
	(void)rc;
}

static void finish_if_done(struct child *c)
{
	if (c->exited && !c->piped)
		uv_stop(c->process.loop);
}

static void on_grace(uv_timer_t *t)
{
	struct child *c = t->data;
	if (!c->exited)
		fb_process_signal(&c->process, SIGKILL);
	c->piped = false;
	finish_if_done(c);
}

static void terminate(struct child *c)
{
	int signal = c->p->kill_signal ? c->p->kill_signal : SIGTERM;
	fb_process_signal(&c->process, signal);
	if (!uv_is_active((uv_handle_t *)&c->grace))
		uv_timer_start(&c->grace, on_grace, GRACE_MS, 0);
}

static void on_timeout(uv_timer_t *t)
{
	struct child *c = t->data;
	c->result->timed_out = true;
	terminate(c);
}

static void on_cancel(uv_poll_t *h, int status, int events)
{
	(void)status;
	(void)events;
	uv_poll_stop(h);
	struct child *c = h->data;
	if (c->exited)
		return;
	c->cancelled = true;
	terminate(c);
}

static void on_tick(uv_timer_t *t)
{
	(void)t;
	fb_progress_tick();
}

static void on_exit_cb(uv_process_t *process, int64_t status, int signal)
{
	struct child *c = process->data;
	c->result->status = (int)status;
	c->result->signal = signal;
	c->exited = true;
	/*
	 * Grandchildren that survive must not hold us, nor outlive us. One
	 * that left the group may still hold the pipe: it gets a moment.
	 */
	fb_process_signal(process, SIGKILL);
	uv_timer_stop(&c->timeout);
	uv_timer_start(&c->grace, on_grace, PIPE_GRACE_MS, 0);
	finish_if_done(c);
}

static void on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *buf)
{
	struct child *c = h->data;
	(void)suggested;
	*buf = uv_buf_init(c->buf, sizeof(c->buf));
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
	struct child *c = s->data;
	if (n > 0) {
		fb_lines_feed(&c->lines, buf->base, (size_t)n);
	} else if (n < 0) {
		uv_read_stop(s);
		c->piped = false;
		finish_if_done(c);
	}
}

static void start_timers(uv_loop_t *loop, struct child *c)
{
	uv_timer_init(loop, &c->timeout);
	uv_timer_init(loop, &c->grace);
	uv_timer_init(loop, &c->tick);
	c->timeout.data = c->grace.data = c;
	if (c->p->timeout > 0)
		uv_timer_start(&c->timeout, on_timeout,
			       (uint64_t)(c->p->timeout * 1e3), 0);
	uv_timer_start(&c->tick, on_tick, 1000, 1000);
	uv_unref((uv_handle_t *)&c->tick);
}

static int start(uv_loop_t *loop, struct child *c, int log_fd)
{
	uv_stdio_container_t stdio[3] = {
		{ .flags = UV_IGNORE },
		{ .flags = UV_INHERIT_FD, .data.fd = log_fd },
		{ .flags = UV_INHERIT_FD, .data.fd = log_fd },
	};
	uv_process_options_t options = { .exit_cb = on_exit_cb,
					 .stdio = stdio,
					 .stdio_count = 3 };
	uv_pipe_init(loop, &c->out, 0);
	c->out.data = c->process.data = c->cancel.data = c;
	if (c->p->line) {
		stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
		stdio[1].data.stream = (uv_stream_t *)&c->out;
	}
	int rc = fb_process_spawn(loop, &c->process, c->p, &options);
	if (rc)
		return rc;
	if (c->p->line) {
		c->piped = true;
		uv_read_start((uv_stream_t *)&c->out, on_alloc, on_read);
	}
	start_timers(loop, c);
	return fb_cancel_watch(loop, &c->cancel, on_cancel);
}

static void ignore_line(void *data, char *line, size_t len, bool cut)
{
	(void)data;
	(void)line;
	(void)len;
	(void)cut;
}

int fb_process_run(const struct fb_process *p, struct fb_process_result *out,
		   struct fb_error *err)
{
	*out = (struct fb_process_result){ 0 };
	if (fb_cancel_check(err))
		return err->code;
	fb_autofree char *program = fb_find_program(p->argv[0]);
	if (!program)
		return fb_error_set(err, FB_E_MACHINE,
				    "cannot run %s: not found or not "
				    "executable",
				    p->argv[0]);
	fb_autoclose int log =
		open(p->log_path ? p->log_path : "/dev/null",
		     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (log < 0)
		return fb_error_errno(err, FB_E_MACHINE, "cannot write %s",
				      p->log_path);

	uv_loop_t loop;
	uv_loop_init(&loop);
	fb_autofree struct child *c = fb_calloc(1, sizeof(*c));
	c->p = p;
	c->result = out;
	fb_lines_init(&c->lines, LINE_MAX_BYTES,
		      p->line ? p->line : ignore_line, p->data);

	double t0 = fb_now();
	int rc = start(&loop, c, log);
	if (rc == 0)
		uv_run(&loop, UV_RUN_DEFAULT);
	out->seconds = fb_now() - t0;
	fb_lines_end(&c->lines);
	fb_loop_drain(&loop);
	fb_lines_release(&c->lines);
	if (rc)
		return fb_error_set(err, FB_E_MACHINE, "cannot run %s: %s",
				    p->argv[0], uv_strerror(rc));
	/* A child that ended by itself counts, however late we were. */
	return c->cancelled ? fb_cancel_check(err) : 0;
}

bool fb_process_succeeded(const struct fb_process_result *r)
{
	return r->status == 0 && r->signal == 0 && !r->timed_out;
}

int fb_process_check(const struct fb_process *p, struct fb_error *err)
{
	struct fb_process_result r;
	int rc = fb_process_run(p, &r, err);
	if (rc)
		return rc;
	if (r.signal)
		return fb_error_set(err, FB_E_MACHINE, "%s was ended by %s",
				    p->argv[0], strsignal(r.signal));
	if (r.status)
		return fb_error_set(err, FB_E_MACHINE, "%s failed with %d",
				    p->argv[0], r.status);
	return 0;
}
