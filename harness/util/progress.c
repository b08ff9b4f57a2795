/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "text.h"

static struct {
	bool quiet, tty, shown;
	unsigned done, total;
	double left, since;
	char *doing;
} progress = { .left = -1 };

void fb_progress_init(bool quiet)
{
	const char *term = getenv("TERM");
	progress.quiet = quiet;
	progress.tty =
		isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void fb_progress_step(unsigned done, unsigned total)
{
	progress.done = done;
	progress.total = total;
}

void fb_progress_left(double seconds)
{
	progress.left = seconds;
}

static char *prefix(void)
{
	if (!progress.total)
		return fb_strdup("");
	return fb_strf("[%u/~%u] ", progress.done, progress.total);
}

static unsigned columns(void)
{
	struct winsize ws;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 20)
		return ws.ws_col;
	return 80;
}

static void erase(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
}

static void draw(void)
{
	char spent[32], left[32];
	fb_autofree char *head = prefix();
	fb_autofree char *line = fb_strf(
		"%s%s, %s%s%s%s", head, progress.doing,
		fb_duration(fb_now() - progress.since, spent, sizeof(spent)),
		progress.left >= 0 ? ", about " : "",
		progress.left >= 0 ?
			fb_duration(progress.left, left, sizeof(left)) :
			"",
		progress.left >= 0 ? " left" : "");
	erase();
	fprintf(stderr, "%.*s", (int)columns() - 1, line);
	fflush(stderr);
	progress.shown = true;
}

void fb_progress_doing(const char *fmt, ...)
{
	if (progress.quiet)
		return;
	va_list ap;
	va_start(ap, fmt);
	free(progress.doing);
	progress.doing = fb_vstrf(fmt, ap);
	va_end(ap);
	progress.since = fb_now();
	if (progress.tty) {
		draw();
		return;
	}
	fb_autofree char *head = prefix();
	fprintf(stderr, "%s%s\n", head, progress.doing);
}

void fb_progress_tick(void)
{
	if (!progress.quiet && progress.tty && progress.doing)
		draw();
}

void fb_progress_done(void)
{
	erase();
	free(progress.doing);
	progress.doing = NULL;
}

static void __attribute__((format(printf, 2, 0)))
say(const char *head, const char *fmt, va_list ap)
{
	erase();
	fputs(head, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	if (progress.tty && progress.doing)
		draw();
}

void fb_info(const char *fmt, ...)
{
	if (progress.quiet)
		return;
	va_list ap;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void fb_warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("warning: ", fmt, ap);
	va_end(ap);
}
