/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qmp.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE_MAX (1 << 20)
#define MAX_DEVICES 16

static void send_text(struct fb_qmp *q, const char *text)
{
	q->send(q->data, text, strlen(text));
}

static void ask(struct fb_qmp *q)
{
	send_text(q, "{\"execute\":\"query-replay\",\"id\":\"replay\"}\n"
		     "{\"execute\":\"query-blockstats\","
		     "\"id\":\"blockstats\"}\n");
}

static void fail(struct fb_qmp *q, const char *why)
{
	if (!q->failed)
		q->broken(q->data, why);
	q->failed = true;
}

static double number(const cJSON *object, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

static const char *string(const cJSON *object, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(v) ? v->valuestring : NULL;
}

static void take_stats(struct fb_qmp *q, const cJSON *list)
{
	struct fb_blockstats out[MAX_DEVICES];
	size_t n = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, list) {
		const cJSON *s =
			cJSON_GetObjectItemCaseSensitive(item, "stats");
		const char *device = string(item, "device");
		if (!s || !device || n == MAX_DEVICES)
			continue;
		struct fb_blockstats *b = &out[n++];
		snprintf(b->device, sizeof(b->device), "%s", device);
		b->rd_operations = number(s, "rd_operations");
		b->rd_bytes = number(s, "rd_bytes");
		b->rd_time_ns = number(s, "rd_total_time_ns");
		b->wr_operations = number(s, "wr_operations");
		b->wr_bytes = number(s, "wr_bytes");
		b->wr_time_ns = number(s, "wr_total_time_ns");
		b->flush_operations = number(s, "flush_operations");
	}
	q->stats(q->data, out, n, q->instructions);
}

static void take_message(struct fb_qmp *q, const cJSON *m)
{
	const char *event = string(m, "event"), *id = string(m, "id");
	const cJSON *error = cJSON_GetObjectItemCaseSensitive(m, "error");
	if (cJSON_HasObjectItem(m, "QMP")) {
		send_text(q, "{\"execute\":\"qmp_capabilities\","
			     "\"id\":\"hello\"}\n");
	} else if (event) {
		q->event(q->data, event,
			 cJSON_GetObjectItemCaseSensitive(m, "data"));
	} else if (id && strcmp(id, "replay") == 0) {
		/* A QEMU that cannot tell answers with an error: no count. */
		q->instructions =
			number(cJSON_GetObjectItemCaseSensitive(m, "return"),
			       "icount");
	} else if (error) {
		const char *text = string(error, "desc");
		fail(q, text ? text : "error without a description");
	} else if (id && strcmp(id, "hello") == 0) {
		q->ready = true;
		for (; q->pending; q->pending--)
			ask(q);
	} else if (id && strcmp(id, "blockstats") == 0) {
		take_stats(q, cJSON_GetObjectItemCaseSensitive(m, "return"));
	}
}

static void on_line(void *data, char *line, size_t len, bool cut)
{
	struct fb_qmp *q = data;
	if (q->failed || len == 0)
		return;
	cJSON *m = cut ? NULL : cJSON_ParseWithLength(line, len);
	if (cJSON_IsObject(m))
		take_message(q, m);
	else
		fail(q, "not a QMP message");
	cJSON_Delete(m);
}

void fb_qmp_init(struct fb_qmp *q)
{
	q->ready = q->failed = false;
	q->pending = 0;
	q->instructions = 0;
	fb_lines_init(&q->lines, MESSAGE_MAX, on_line, q);
}

void fb_qmp_feed(struct fb_qmp *q, const char *bytes, size_t len)
{
	fb_lines_feed(&q->lines, bytes, len);
}

void fb_qmp_query(struct fb_qmp *q)
{
	if (q->ready)
		ask(q);
	else
		q->pending++;
}

void fb_qmp_release(struct fb_qmp *q)
{
	fb_lines_release(&q->lines);
}
