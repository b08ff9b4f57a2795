/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "identity.h"
#include "metric.h"

void fb_collect_init(struct fb_collect *c, struct fb_boot *boot)
{
	*c = (struct fb_collect){ .boot = boot };
	fb_random_hex(c->token, FB_FRAME_TOKEN_LEN);
}

static enum fb_collect_event damaged(struct fb_collect *c, const char *why)
{
	c->damaged = true;
	snprintf(c->error, sizeof(c->error), "result channel: %s", why);
	return FB_COLLECT_DAMAGED;
}

/* Windows, sources and keys are held to the same alphabet as metrics. */
static const char *name_of(const cJSON *m, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(m, key);
	return cJSON_IsString(v) && fb_metric_name_ok(v->valuestring) ?
		       v->valuestring :
		       NULL;
}

static bool number_of(const cJSON *m, const char *key, double *out)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(m, key);
	if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble))
		return false;
	*out = v->valuedouble;
	return true;
}

static enum fb_collect_event take_begin(struct fb_collect *c, const cJSON *m)
{
	const char *window = name_of(m, "window");
	if (!window || c->window[0])
		return damaged(c, "a window begins out of turn");
	snprintf(c->window, sizeof(c->window), "%s", window);
	return FB_COLLECT_BEGIN;
}

static enum fb_collect_event take_end(struct fb_collect *c, const cJSON *m)
{
	const char *window = name_of(m, "window");
	if (!window || strcmp(window, c->window) != 0 ||
	    !number_of(m, "seconds", &c->guest_seconds))
		return damaged(c, "a window ends that is not open");
	return FB_COLLECT_END;
}

static enum fb_collect_event take_value(struct fb_collect *c, const cJSON *m,
					const char *type)
{
	double value;
	if (c->boot->n_samples + c->boot->n_evidence >= FB_BOOT_VALUES_MAX)
		return damaged(c, "too many values");
	if (!number_of(m, "value", &value))
		return damaged(c, "a value that is not a number");
	if (strcmp(type, "sample") == 0) {
		const char *metric = name_of(m, "metric");
		if (!metric)
			return damaged(c, "a sample without a metric");
		fb_boot_add_sample(c->boot, metric, value);
		return FB_COLLECT_NOTHING;
	}
	const char *window = name_of(m, "window"), *key = name_of(m, "key"),
		   *source = name_of(m, "source");
	if (!window || !key || !source)
		return damaged(c, "evidence without a name");
	fb_boot_add_evidence(c->boot, window, source, key, value);
	return FB_COLLECT_NOTHING;
}

static enum fb_collect_event take_error(struct fb_collect *c, const cJSON *m)
{
	const cJSON *text = cJSON_GetObjectItemCaseSensitive(m, "text");
	snprintf(c->error, sizeof(c->error), "%s",
		 cJSON_IsString(text) ? text->valuestring : "unknown error");
	return FB_COLLECT_ERROR;
}

static enum fb_collect_event dispatch(struct fb_collect *c, const cJSON *m)
{
	const char *type = name_of(m, "type");
	if (!type)
		return damaged(c, "a line without a type");
	if (strcmp(type, "hello") == 0) {
		c->hello = true;
		return FB_COLLECT_HELLO;
	}
	if (!c->hello)
		return damaged(c, "the first line is missing");
	if (strcmp(type, "begin") == 0)
		return take_begin(c, m);
	if (strcmp(type, "end") == 0)
		return take_end(c, m);
	if (strcmp(type, "error") == 0)
		return take_error(c, m);
	if (strcmp(type, "done") == 0) {
		c->done = true;
		return FB_COLLECT_DONE;
	}
	if (strcmp(type, "sample") == 0 || strcmp(type, "evidence") == 0)
		return take_value(c, m, type);
	return damaged(c, "a line of unknown type");
}

enum fb_collect_event fb_collect_line(struct fb_collect *c, char *line,
				      size_t len, bool cut)
{
	unsigned seq;
	char *json;
	if (c->damaged || c->done)
		return FB_COLLECT_NOTHING;
	switch (fb_frame_parse(line, len, c->token, &seq, &json)) {
	case FB_FRAME_FOREIGN:
		return FB_COLLECT_NOTHING;
	case FB_FRAME_DAMAGED:
		return damaged(c, "a damaged line");
	case FB_FRAME_OK:
		break;
	}
	if (cut || seq != c->seq)
		return damaged(c, "a missing line");
	c->seq++;
	cJSON *m = cJSON_Parse(json);
	enum fb_collect_event event =
		cJSON_IsObject(m) ? dispatch(c, m) :
				    damaged(c, "a line that is not JSON");
	cJSON_Delete(m);
	return event;
}

void fb_collect_host(struct fb_collect *c, double host_seconds,
		     const struct fb_blockstats *before,
		     const struct fb_blockstats *after)
{
	const struct {
		const char *source, *key;
		double value;
	} rows[] = {
		{ "clock", "host_seconds", host_seconds },
		{ "clock", "guest_seconds", c->guest_seconds },
		{ "blockstats", "rd_operations",
		  after->rd_operations - before->rd_operations },
		{ "blockstats", "rd_bytes",
		  after->rd_bytes - before->rd_bytes },
		{ "blockstats", "rd_time_ns",
		  after->rd_time_ns - before->rd_time_ns },
		{ "blockstats", "wr_operations",
		  after->wr_operations - before->wr_operations },
		{ "blockstats", "wr_bytes",
		  after->wr_bytes - before->wr_bytes },
		{ "blockstats", "wr_time_ns",
		  after->wr_time_ns - before->wr_time_ns },
		{ "blockstats", "flush_operations",
		  after->flush_operations - before->flush_operations },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fb_boot_add_evidence(c->boot, c->window, rows[i].source,
				     rows[i].key, rows[i].value);

	/* The request size that reached the disk, whatever the guest says. */
	double ops = rows[2].value + rows[5].value;
	double bytes = rows[3].value + rows[6].value;
	if (ops > 0) {
		char name[160];
		snprintf(name, sizeof(name), "%s.host_request_kib", c->window);
		fb_boot_add_sample(c->boot, name, bytes / 1024 / ops);
	}
	c->window[0] = '\0';
}
