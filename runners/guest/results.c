/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frame.h"
#include "output.h"

#define ACK_TIMEOUT_MS 60000
#define OUTPUT_PIECE 2048

/* One line's JSON in the making; what does not fit is never sent. */
static struct {
	char text[FB_FRAME_JSON_MAX + 1];
	size_t n;
} json;

__attribute__((format(printf, 1, 2))) static void add(const char *fmt, ...)
{
	va_list ap;
	size_t room = sizeof(json.text) - json.n;
	va_start(ap, fmt);
	int n = vsnprintf(json.text + json.n, room, fmt, ap);
	va_end(ap);
	json.n += n > 0 ? (size_t)n < room ? (size_t)n : room : 0;
}

__attribute__((format(printf, 1, 2))) static void start(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	json.n = (size_t)vsnprintf(json.text, sizeof(json.text), fmt, ap);
	va_end(ap);
}

static void add_string(const char *s, size_t len)
{
	add("\"");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c == '"' || c == '\\')
			add("\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			add("\\u%04x", c);
		else
			add("%c", c);
	}
	add("\"");
}

static void send_line(struct report *r)
{
	static char line[FB_FRAME_LINE_MAX];
	size_t n = json.n < sizeof(json.text) ?
			   fb_frame_format(line, r->token, r->seq, json.text) :
			   0;
	r->seq++; /* a line that was not sent is noticed as missing */
	for (size_t done = 0; done < n;) {
		ssize_t w = write(r->fd, line + done, n - done);
		if (w < 0 && errno != EINTR && errno != EAGAIN)
			return;
		done += w > 0 ? (size_t)w : 0;
	}
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

void report_hello(struct report *r, double started)
{
	start("{\"type\":\"hello\",\"started\":%.6f,\"time\":%.6f}", started,
	      now_seconds());
	send_line(r);
}

void report_setting(struct report *r, const char *subject, const char *key,
		    const char *fmt, ...)
{
	char value[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	if (!r->framed) {
		output_setting(subject, key, value);
		return;
	}
	start("{\"type\":\"setting\",\"subject\":\"%s\",\"key\":\"%s\","
	      "\"value\":",
	      subject, key);
	add_string(value, strlen(value));
	add("}");
	send_line(r);
}

int report_begin(struct report *r, const char *window)
{
	if (!r->framed)
		return 0;
	start("{\"type\":\"begin\",\"window\":\"%s\",\"time\":%.6f}", window,
	      now_seconds());
	send_line(r);
	return wait_ack(r);
}

int report_end(struct report *r, const char *window, double seconds,
	       double bytes, double from_disk)
{
	if (!r->framed)
		return 0;
	start("{\"type\":\"end\",\"window\":\"%s\",\"seconds\":%.9f,"
	      "\"bytes\":%.0f,\"from_disk\":%.0f}",
	      window, seconds, bytes, from_disk);
	send_line(r);
	return wait_ack(r);
}

void report_sample(struct report *r, const char *window, const char *metric,
		   double value)
{
	if (!r->framed) {
		output_sample(metric, value);
		return;
	}
	start("{\"type\":\"sample\",\"window\":\"%s\",\"metric\":\"%s\","
	      "\"value\":%.17g}",
	      window, metric, value);
	send_line(r);
}

void report_evidence(struct report *r, const char *window, const char *source,
		     const struct fact *facts, size_t n)
{
	if (!r->framed) {
		for (size_t i = 0; i < n; i++)
			output_evidence(window, source, &facts[i]);
		return;
	}
	start("{\"type\":\"evidence\",\"window\":\"%s\",\"source\":\"%s\","
	      "\"values\":{",
	      window, source);
	for (size_t i = 0; i < n; i++)
		add("%s\"%s\":%.17g", i ? "," : "", facts[i].key,
		    facts[i].value);
	add("}}");
	send_line(r);
}

void report_vmstat(struct report *r, const char *window,
		   const struct timeline_row *row)
{
	if (!r->framed) {
		output_vmstat(window, row);
		return;
	}
	start("{\"type\":\"vmstat\",\"window\":\"%s\",\"at\":%.3f,"
	      "\"values\":[",
	      window, row->at);
	for (int i = 0; i < VMSTAT_COLUMNS; i++)
		add("%s%lu", i ? "," : "", row->v[i]);
	add("]}");
	send_line(r);
}

void report_histogram(struct report *r, const char *window,
		      const char *operation, const struct histogram *h)
{
	if (!r->framed) {
		output_histogram(window, operation, h);
		return;
	}
	start("{\"type\":\"histogram\",\"window\":\"%s\","
	      "\"operation\":\"%s\",\"buckets\":[",
	      window, operation);
	bool first = true;
	for (size_t b = 0; b < HISTOGRAM_BUCKETS; b++) {
		if (!h->count[b])
			continue;
		add("%s%llu,%llu,%u", first ? "" : ",",
		    (unsigned long long)histogram_low(b),
		    (unsigned long long)histogram_high(b), h->count[b]);
		first = false;
	}
	add("]}");
	send_line(r);
}

void report_output(struct report *r, const char *window, const char *text,
		   size_t len)
{
	for (size_t at = 0; r->framed && at < len; at += OUTPUT_PIECE) {
		size_t n = len - at < OUTPUT_PIECE ? len - at : OUTPUT_PIECE;
		start("{\"type\":\"output\",\"window\":\"%s\",\"text\":",
		      window);
		add_string(text + at, n);
		add("}");
		send_line(r);
	}
}

void report_command(struct report *r, const char *window)
{
	start("{\"type\":\"command\",\"window\":\"%s\"}", window);
	if (r->framed)
		send_line(r);
}

void report_text(struct report *r, const char *fmt, ...)
{
	if (r->framed || r->format != TEXT)
		return;
	va_list ap;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
}

int report_error(struct report *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (r->framed) {
		start("{\"type\":\"error\",\"text\":");
		add_string(text, strlen(text));
		add("}");
		send_line(r);
	} else {
		fflush(stdout);
		fprintf(stderr, "firstbad-probe: %s\n", text);
	}
	return -1;
}

void report_done(struct report *r)
{
	start("{\"type\":\"done\",\"time\":%.6f}", now_seconds());
	send_line(r);
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
