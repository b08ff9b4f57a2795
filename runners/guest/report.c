/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame.h"

#define ACK_TIMEOUT_MS 60000

static int send_frame(struct report *r, const char *json)
{
	static char line[FB_FRAME_LINE_MAX];
	size_t n = fb_frame_format(line, r->token, r->seq, json);
	if (!n)
		return -1;
	r->seq++;
	for (size_t done = 0; done < n;) {
		ssize_t w = write(r->fd, line + done, n - done);
		if (w < 0 && errno != EINTR && errno != EAGAIN)
			return -1;
		done += w > 0 ? (size_t)w : 0;
	}
	return 0;
}

static int framef(struct report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int framef(struct report *r, const char *fmt, ...)
{
	static char json[FB_FRAME_JSON_MAX];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(json, sizeof(json), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(json))
		return -1;
	return send_frame(r, json);
}

/* The host answers every window border with one byte. */
static int wait_ack(struct report *r)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	char c;
	int rc;
	do
		rc = poll(&p, 1, ACK_TIMEOUT_MS);
	while (rc < 0 && errno == EINTR);
	if (rc != 1 || read(r->fd, &c, 1) != 1)
		return report_error(r, "the host did not answer");
	return 0;
}

void report_hello(struct report *r)
{
	if (r->framed)
		framef(r, "{\"type\":\"hello\",\"time\":%.6f}", now_seconds());
}

int report_begin(struct report *r, const char *window)
{
	if (!r->framed)
		return 0;
	framef(r, "{\"type\":\"begin\",\"window\":\"%s\",\"time\":%.6f}",
	       window, now_seconds());
	return wait_ack(r);
}

int report_end(struct report *r, const char *window, double seconds)
{
	if (!r->framed)
		return 0;
	framef(r, "{\"type\":\"end\",\"window\":\"%s\",\"seconds\":%.6f}",
	       window, seconds);
	return wait_ack(r);
}

void report_sample(struct report *r, const char *metric, double value)
{
	if (r->framed)
		framef(r,
		       "{\"type\":\"sample\",\"metric\":\"%s\","
		       "\"value\":%.17g}",
		       metric, value);
}

void report_evidence(struct report *r, const char *window, const char *source,
		     const char *key, double value)
{
	if (r->framed)
		framef(r,
		       "{\"type\":\"evidence\",\"window\":\"%s\","
		       "\"source\":\"%s\",\"key\":\"%s\",\"value\":%.17g}",
		       window, source, key, value);
}

void report_text(struct report *r, const char *fmt, ...)
{
	if (r->framed)
		return;
	va_list ap;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
}

static void escape(char *out, size_t size, const char *s)
{
	size_t n = 0;
	for (; *s && n + 2 < size; s++) {
		if ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f)
			out[n++] = '?';
		else if (*s == '"' || *s == '\\')
			out[n++] = '\\', out[n++] = *s;
		else
			out[n++] = *s;
	}
	out[n] = '\0';
}

int report_error(struct report *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->last, sizeof(r->last), fmt, ap);
	va_end(ap);
	if (r->framed) {
		char text[2 * sizeof(r->last)];
		escape(text, sizeof(text), r->last);
		framef(r, "{\"type\":\"error\",\"text\":\"%s\"}", text);
	} else {
		fprintf(stderr, "firstbad-probe: %s\n", r->last);
	}
	return -1;
}

void report_done(struct report *r)
{
	if (r->framed)
		framef(r, "{\"type\":\"done\",\"time\":%.6f}", now_seconds());
}

const char *report_name(const struct report *r, const struct disk *d,
			const char *figure, char *buf, size_t size)
{
	if (r->prefix)
		snprintf(buf, size, "%s/%s", d->name, figure);
	else
		snprintf(buf, size, "%s", figure);
	return buf;
}
