/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cancel.h"
#include "cleanup.h"
#include "clock.h"
#include "collect.h"
#include "errors.h"
#include "file.h"
#include "initramfs.h"
#include "modules.h"
#include "process.h"
#include "progress.h"
#include "spindles.h"

#define CONSOLE_MAX (4 << 20) /* bytes kept of a guest's console */
#define CONSOLE_LINE 1024
#define EXIT_GRACE_MS 10000 /* from the last word to QEMU's exit */
#define KILL_GRACE_MS 5000

struct guest {
	const struct fb_machine *m;
	const struct fb_config *cfg;
	struct fb_boot *boot;
	struct fb_collect collect;
	struct fb_qmp qmp;
	struct fb_lines console_lines, result_lines;

	uv_loop_t loop;
	uv_process_t process;
	struct fb_spindles spindles;
	uv_pipe_t console, result, qmp_pipe;
	uv_timer_t deadline, grace, tick;
	uv_poll_t cancel;
	char buf[65536];

	int console_fd;
	size_t console_bytes;
	char last_line[CONSOLE_LINE + 1]; /* of the console */
	char panic_line[CONSOLE_LINE + 1];
	bool panicked, reset, exited, hang, cancelled, stopping;
	char *machinery; /* what broke, if it was not the kernel */
	int64_t exit_status;
	int exit_signal;

	bool window_open;
	struct fb_border before, after; /* of the window */
};

static void stop_after(struct guest *g, uint64_t ms);

static void machinery_failed(struct guest *g, const char *why)
{
	if (!g->machinery)
		g->machinery = fb_strdup(why);
	stop_after(g, 0);
}

/* Writing */

struct write {
	uv_write_t req;
	char data[];
};

static void on_written(uv_write_t *req, int status)
{
	(void)status; /* a peer that is gone is noticed by its exit */
	free(req->data);
}

static void send_to(uv_pipe_t *pipe, const char *data, size_t len)
{
	struct write *w = fb_malloc(sizeof(*w) + len);
	memcpy(w->data, data, len);
	w->req.data = w;
	uv_buf_t buf = uv_buf_init(w->data, (unsigned)len);
	if (uv_is_closing((uv_handle_t *)pipe) ||
	    uv_write(&w->req, (uv_stream_t *)pipe, &buf, 1, on_written))
		free(w);
}

/* Time limits */

static void on_grace(uv_timer_t *t)
{
	struct guest *g = t->data;
	fb_process_signal(&g->process, SIGKILL);
}

static void stop_after(struct guest *g, uint64_t ms)
{
	if (g->exited)
		return;
	g->stopping = true;
	uv_timer_stop(&g->deadline);
	if (ms == 0) {
		fb_process_signal(&g->process, SIGTERM);
		ms = KILL_GRACE_MS;
	}
	uv_timer_start(&g->grace, on_grace, ms, 0);
}

static void on_deadline(uv_timer_t *t)
{
	struct guest *g = t->data;
	g->hang = true;
	stop_after(g, 0);
}

static void set_deadline(struct guest *g, double seconds)
{
	uv_timer_start(&g->deadline, on_deadline, (uint64_t)(seconds * 1e3), 0);
}

static void on_cancel(uv_poll_t *h, int status, int events)
{
	struct guest *g = h->data;
	(void)status;
	(void)events;
	uv_poll_stop(h);
	g->cancelled = true;
	stop_after(g, 0);
}

static void on_tick(uv_timer_t *t)
{
	(void)t;
	fb_progress_tick();
}

/* QMP */

static void qmp_send(void *data, const char *text, size_t len)
{
	struct guest *g = data;
	send_to(&g->qmp_pipe, text, len);
}

/* The counters of every disk of ours, in their order. */
static bool keep_disks(struct guest *g, struct fb_border *border,
		       const struct fb_blockstats *stats, size_t n)
{
	for (size_t d = 0; d < g->cfg->n_disks; d++) {
		size_t i = 0;
		while (i < n &&
		       strcmp(stats[i].device, g->cfg->disks[d].name) != 0)
			i++;
		if (i == n)
			return false;
		border->disks[d] = stats[i];
	}
	return true;
}

static void qmp_stats(void *data, const struct fb_blockstats *stats, size_t n,
		      double instructions)
{
	struct guest *g = data;
	struct fb_border *border = g->window_open ? &g->after : &g->before;
	if (!g->collect.window[0])
		return;
	border->time = fb_now();
	border->instructions = instructions;
	fb_host_read(&border->host, uv_process_get_pid(&g->process));
	if (!keep_disks(g, border, stats, n)) {
		machinery_failed(g, "QEMU does not tell of a disk (was it "
				    "removed?)");
		return;
	}
	if (g->window_open) {
		g->boot->probe_seconds += g->after.time - g->before.time;
		if (fb_collect_host(&g->collect, &g->before, &g->after) ==
		    FB_COLLECT_DAMAGED)
			stop_after(g, 0);
	}
	g->window_open = !g->window_open;
	send_to(&g->result, "+", 1);
}

/* The host's disk failed, whatever the guest makes of it. */
static void block_error(struct guest *g, const cJSON *info)
{
	const cJSON *device = cJSON_GetObjectItemCaseSensitive(info, "device");
	const cJSON *operation =
		cJSON_GetObjectItemCaseSensitive(info, "operation");
	const cJSON *reason = cJSON_GetObjectItemCaseSensitive(info, "reason");
	fb_autofree char *why = fb_strf(
		"disk %s: the host cannot %s its image: %s",
		cJSON_IsString(device) ? device->valuestring : "?",
		cJSON_IsString(operation) ? operation->valuestring : "use",
		cJSON_IsString(reason) ? reason->valuestring : "?");
	machinery_failed(g, why);
}

static void qmp_event(void *data, const char *name, const cJSON *info)
{
	struct guest *g = data;
	const cJSON *reason = cJSON_GetObjectItemCaseSensitive(info, "reason");
	if (strcmp(name, "GUEST_PANICKED") == 0)
		g->panicked = true;
	else if (strcmp(name, "SHUTDOWN") == 0 && cJSON_IsString(reason)) {
		g->reset = strcmp(reason->valuestring, "guest-reset") == 0;
		if (strncmp(reason->valuestring, "host-", 5) == 0 &&
		    !g->stopping)
			machinery_failed(g, "QEMU was told to stop by someone "
					    "else");
	} else if (strcmp(name, "DEVICE_DELETED") == 0) {
		machinery_failed(g, "a device was removed from the guest");
	} else if (strcmp(name, "BLOCK_IO_ERROR") == 0) {
		block_error(g, info);
	}
}

static void qmp_broken(void *data, const char *why)
{
	struct guest *g = data;
	fb_autofree char *text = fb_strf("QMP: %s", why);
	machinery_failed(g, text);
}

/* Console and results */

static void console_line(void *data, char *line, size_t len, bool cut)
{
	struct guest *g = data;
	(void)cut;
	if (len)
		snprintf(g->last_line, sizeof(g->last_line), "%s", line);
	if (!g->panicked && strstr(line, "Kernel panic - not syncing")) {
		g->panicked = true;
		snprintf(g->panic_line, sizeof(g->panic_line), "%s", line);
		/* panic=-1 resets at once; if even that fails, we end it. */
		stop_after(g, KILL_GRACE_MS);
	}
}

static void result_line(void *data, char *line, size_t len, bool cut)
{
	struct guest *g = data;
	enum fb_collect_event e = fb_collect_line(&g->collect, line, len, cut);
	if (e != FB_COLLECT_NOTHING && !g->panicked && !g->hang)
		set_deadline(g, g->cfg->machine.silence_timeout);
	switch (e) {
	case FB_COLLECT_BEGIN:
	case FB_COLLECT_END:
		fb_qmp_query(&g->qmp);
		break;
	case FB_COLLECT_DONE:
	case FB_COLLECT_ERROR:
		stop_after(g, EXIT_GRACE_MS);
		break;
	case FB_COLLECT_FAILED:
	case FB_COLLECT_DAMAGED:
		stop_after(g, 0);
		break;
	case FB_COLLECT_HELLO:
	case FB_COLLECT_NOTHING:
		break;
	}
}

static void keep_console(struct guest *g, const char *bytes, size_t len)
{
	if (g->console_bytes < CONSOLE_MAX) {
		size_t room = CONSOLE_MAX - g->console_bytes;
		if (write(g->console_fd, bytes, len < room ? len : room) < 0)
			machinery_failed(g, "cannot write the console log");
	}
	g->console_bytes += len;
	fb_lines_feed(&g->console_lines, bytes, len);
}

static void on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *buf)
{
	struct guest *g = h->data;
	(void)suggested;
	*buf = uv_buf_init(g->buf, sizeof(g->buf));
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
	struct guest *g = s->data;
	if (n < 0) {
		uv_close((uv_handle_t *)s, NULL);
		return;
	}
	if (s == (uv_stream_t *)&g->console)
		keep_console(g, buf->base, (size_t)n);
	else if (s == (uv_stream_t *)&g->result)
		fb_lines_feed(&g->result_lines, buf->base, (size_t)n);
	else
		fb_qmp_feed(&g->qmp, buf->base, (size_t)n);
}

/* Life */

static void on_exit_cb(uv_process_t *process, int64_t status, int signal)
{
	struct guest *g = process->data;
	g->exited = true;
	g->exit_status = status;
	g->exit_signal = signal;
	uv_close((uv_handle_t *)&g->deadline, NULL);
	uv_close((uv_handle_t *)&g->grace, NULL);
	uv_close((uv_handle_t *)&g->tick, NULL);
	if (uv_is_active((uv_handle_t *)&g->cancel))
		uv_poll_stop(&g->cancel);
	uv_close((uv_handle_t *)process, NULL);
	/* The channels close by themselves once their last bytes are read. */
}

static void init_handles(struct guest *g)
{
	uv_pipe_t *pipes[] = { &g->console, &g->result, &g->qmp_pipe };
	uv_timer_t *timers[] = { &g->deadline, &g->grace, &g->tick };

	uv_loop_init(&g->loop);
	for (int i = 0; i < 3; i++) {
		uv_pipe_init(&g->loop, pipes[i], 0);
		pipes[i]->data = g;
		uv_timer_init(&g->loop, timers[i]);
		timers[i]->data = g;
	}
	g->process.data = g->cancel.data = g;
}

static int spawn(struct guest *g, const char *const *argv, int log)
{
	/* QEMU's temporary overlays go where the disk images are. */
	fb_autofree char *dir = fb_strdup(g->m->images[0]);
	*strrchr(dir, '/') = '\0';
	fb_autofree char *tmpdir = fb_strf("TMPDIR=%s", dir);
	const char *env[] = { tmpdir, NULL };
	struct fb_process p = { .argv = argv,
				.env = env,
				.kill_signal = SIGKILL };
	const int both = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE;
	uv_stdio_container_t stdio[FB_FD_DISKS + FB_DISKS_MAX] = {
		{ .flags = UV_IGNORE },
		{ .flags = UV_INHERIT_FD, .data.fd = log },
		{ .flags = UV_INHERIT_FD, .data.fd = log },
		[FB_FD_CONSOLE] = { both, { (uv_stream_t *)&g->console } },
		[FB_FD_RESULT] = { both, { (uv_stream_t *)&g->result } },
		[FB_FD_QMP] = { both, { (uv_stream_t *)&g->qmp_pipe } },
	};
	for (size_t i = 0; i < g->spindles.n; i++)
		if (g->spindles.fd[i] >= 0)
			stdio[FB_FD_DISKS + i] = (uv_stdio_container_t){
				.flags = UV_INHERIT_FD,
				.data.fd = g->spindles.fd[i]
			};
	uv_process_options_t options = {
		.exit_cb = on_exit_cb,
		.stdio = stdio,
		.stdio_count = FB_FD_DISKS + (int)g->spindles.n,
	};
	int rc = fb_process_spawn(&g->loop, &g->process, &p, &options);
	if (rc)
		return rc;
	uv_read_start((uv_stream_t *)&g->console, on_alloc, on_read);
	uv_read_start((uv_stream_t *)&g->result, on_alloc, on_read);
	uv_read_start((uv_stream_t *)&g->qmp_pipe, on_alloc, on_read);
	uv_timer_start(&g->tick, on_tick, 1000, 1000);
	set_deadline(g, g->cfg->machine.boot_timeout);
	return fb_cancel_watch(&g->loop, &g->cancel, on_cancel);
}

/* QEMU's own first complaint, for a machinery error. */
static char *first_complaint(const char *log)
{
	struct fb_error ignored = FB_ERROR_INIT;
	char *text = NULL;
	if (fb_file_read(log, 1 << 20, &text, NULL, &ignored)) {
		fb_error_release(&ignored);
		return fb_strdup("");
	}
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static int machinery_check(struct guest *g, const char *log,
			   struct fb_error *err)
{
	/* All figures are here: what happens on the way out is no matter. */
	if (g->collect.done)
		return 0;
	if (g->cancelled || fb_cancelled())
		return fb_cancel_check(err);
	if (g->machinery)
		return fb_error_set(err, FB_E_MACHINE, "%s", g->machinery);
	bool ours = g->hang || g->panicked || g->collect.damaged ||
		    g->collect.error[0];
	fb_autofree char *why = first_complaint(log);
	if (g->exit_signal && !ours)
		return fb_error_set(err, FB_E_MACHINE,
				    "QEMU was ended by signal %d%s%s",
				    g->exit_signal, *why ? ": " : "", why);
	if (g->exit_status && !g->exit_signal) {
		return fb_error_set(err, FB_E_MACHINE,
				    "QEMU failed with %d: %s",
				    (int)g->exit_status, why);
	}
	return 0;
}

/* What the kernel did, once it is known that the machinery did its part. */
static void classify(struct guest *g)
{
	struct fb_boot *b = g->boot;
	const char *where = g->collect.hello ? "while measuring" :
					       "before the probe started";
	if (g->collect.done)
		b->outcome = FB_OUTCOME_MEASURED;
	else if (g->panicked)
		fb_boot_fail(b, FB_OUTCOME_PANIC, "panic %s: %s", where,
			     g->panic_line[0] ? g->panic_line : g->last_line);
	else if (g->collect.damaged)
		fb_boot_fail(b, FB_OUTCOME_BAD_RESULT, "%s", g->collect.error);
	else if (g->collect.error[0])
		fb_boot_fail(b, FB_OUTCOME_PROBE_FAILED, "%s",
			     g->collect.error);
	else if (g->hang)
		fb_boot_fail(
			b, FB_OUTCOME_HANG, "silent for %g s %s; last line: %s",
			g->collect.hello ? g->cfg->machine.silence_timeout :
					   g->cfg->machine.boot_timeout,
			where, g->last_line);
	else if (g->reset)
		fb_boot_fail(b, FB_OUTCOME_REBOOT,
			     "the machine was reset %s; last line: %s", where,
			     g->last_line);
	else
		fb_boot_fail(b, FB_OUTCOME_EARLY_EXIT,
			     "the machine went off %s; last line: %s", where,
			     g->last_line);
}

static int prepare(struct guest *g, const struct fb_job *job, char *initrd,
		   struct fb_error *err)
{
	fb_collect_init(&g->collect, g->boot, g->cfg);
	g->before.disks = fb_calloc(g->cfg->n_disks, sizeof(*g->before.disks));
	g->after.disks = fb_calloc(g->cfg->n_disks, sizeof(*g->after.disks));
	fb_autofree char *text =
		fb_machine_job(g->cfg, g->collect.token, job->plan);
	struct fb_strv modules = { 0 };
	struct fb_initramfs in = { text, &g->cfg->overlay, &modules };
	int rc = fb_modules_find(job->image, g->cfg, &modules, err);
	if (rc == 0)
		rc = fb_initramfs_write(initrd, &in, err);
	fb_strv_release(&modules);
	struct stat st;
	if (rc)
		return rc;
	if (stat(initrd, &st) == 0) {
		fb_autofree char *size = fb_strf("%lld", (long long)st.st_size);
		fb_boot_add_setting(g->boot, "machine", "initramfs_bytes",
				    size);
	}
	g->boot->console = fb_strf("%s/console.log", job->dir);
	g->console_fd = open(g->boot->console,
			     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (g->console_fd < 0)
		return fb_error_errno(err, FB_E_MACHINE, "cannot create %s",
				      g->boot->console);
	g->qmp = (struct fb_qmp){ .send = qmp_send,
				  .stats = qmp_stats,
				  .event = qmp_event,
				  .broken = qmp_broken,
				  .data = g };
	fb_qmp_init(&g->qmp);
	fb_lines_init(&g->console_lines, CONSOLE_LINE, console_line, g);
	fb_lines_init(&g->result_lines, FB_FRAME_LINE_MAX, result_line, g);
	return 0;
}

static int run_loop(struct guest *g, const struct fb_job *job,
		    const char *initrd, const char *log, struct fb_error *err)
{
	fb_autoclose int log_fd =
		open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (log_fd < 0)
		return fb_error_errno(err, FB_E_MACHINE, "cannot create %s",
				      log);
	struct fb_strv argv = { 0 };
	fb_machine_argv(g->m, g->cfg, job->image, initrd, &argv);
	init_handles(g);
	double t0 = fb_now();
	int started = fb_spindles_start(&g->spindles, g->m, g->cfg, &g->loop,
					log_fd, err);
	int rc = started ? 0 : spawn(g, fb_strv_args(&argv), log_fd);
	fb_spindles_handed_over(&g->spindles);
	if (started == 0 && rc == 0)
		uv_run(&g->loop, UV_RUN_DEFAULT);
	g->boot->seconds = fb_now() - t0;
	fb_loop_drain(&g->loop);
	fb_strv_release(&argv);
	if (started)
		return started;
	if (rc)
		return fb_error_set(err, FB_E_MACHINE, "cannot start QEMU: %s",
				    uv_strerror(rc));
	fb_lines_end(&g->console_lines);
	return machinery_check(g, log, err);
}

static void release(struct guest *g)
{
	if (g->console_fd >= 0)
		close(g->console_fd);
	free(g->before.disks);
	free(g->after.disks);
	fb_collect_release(&g->collect);
	fb_qmp_release(&g->qmp);
	fb_lines_release(&g->console_lines);
	fb_lines_release(&g->result_lines);
	free(g->machinery);
	free(g);
}

int fb_guest_run(const struct fb_machine *m, const struct fb_config *cfg,
		 const struct fb_job *job, struct fb_boot *out,
		 struct fb_error *err)
{
	fb_autofree char *initrd = fb_strf("%s/initrd", job->dir);
	fb_autofree char *log = fb_strf("%s/qemu.log", job->dir);
	struct guest *g = fb_calloc(1, sizeof(*g));
	*out = (struct fb_boot){ 0 };
	g->m = m;
	g->cfg = cfg;
	g->boot = out;
	g->console_fd = -1;

	int rc = prepare(g, job, initrd, err);
	if (rc == 0)
		rc = run_loop(g, job, initrd, log, err);
	unlink(initrd);
	if (rc == 0)
		classify(g);
	else if (rc == FB_E_MACHINE && g->collect.hello)
		fb_boot_fail(out, FB_OUTCOME_MACHINE, "%s", err->message);
	if (rc == 0 || out->outcome == FB_OUTCOME_MACHINE) {
		out->clock = fb_strdup(fb_machine_clock(m));
		out->machine = fb_strdup(m->describe);
		fb_machine_settings(m, cfg, out);
		fb_host_settings(out);
	} else {
		fb_boot_release(out);
	}
	release(g);
	return rc;
}
