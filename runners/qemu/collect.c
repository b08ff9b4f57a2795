/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "identity.h"
#include "metric.h"

#define OUTPUT_MAX (1 << 20)
#define DELIVERED_AT_LEAST 0.98

void fb_collect_init(struct fb_collect *c, struct fb_boot *boot,
		     const struct fb_config *cfg)
{
	*c = (struct fb_collect){ .boot = boot, .cfg = cfg };
	fb_random_hex(c->token, FB_FRAME_TOKEN_LEN);
}

void fb_collect_release(struct fb_collect *c)
{
	free(c->output);
	c->output = NULL;
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

/* The guest's own clock, which the kernel starts: when PID 1 began and ended */
static void keep_time(struct fb_collect *c, const cJSON *m, const char *key,
		      const char *name)
{
	double t;
	if (number_of(m, key, &t))
		fb_boot_add_evidence(c->boot, "boot", "clock", name, t);
}

static enum fb_collect_event take_begin(struct fb_collect *c, const cJSON *m)
{
	const char *window = name_of(m, "window");
	if (!window || c->window[0] || !number_of(m, "time", &c->guest_began))
		return damaged(c, "a window begins out of turn");
	snprintf(c->window, sizeof(c->window), "%s", window);
	return FB_COLLECT_BEGIN;
}

static enum fb_collect_event take_end(struct fb_collect *c, const cJSON *m)
{
	const char *window = name_of(m, "window");
	if (!window || strcmp(window, c->window) != 0 ||
	    !number_of(m, "seconds", &c->guest_seconds) ||
	    !number_of(m, "bytes", &c->bytes) ||
	    !number_of(m, "from_disk", &c->from_disk))
		return damaged(c, "a window ends that is not open");
	return FB_COLLECT_END;
}

static enum fb_collect_event take_sample(struct fb_collect *c, const cJSON *m)
{
	const char *window = name_of(m, "window"),
		   *metric = name_of(m, "metric");
	double value;
	if (!window || !metric)
		return damaged(c, "a sample without a metric");
	if (!number_of(m, "value", &value))
		return damaged(c, "a value that is not a number");
	if (c->boot->n_samples >= FB_BOOT_SAMPLES_MAX)
		return damaged(c, "too many values");
	fb_boot_add_sample(c->boot, window, metric, value);
	return FB_COLLECT_NOTHING;
}

static enum fb_collect_event take_evidence(struct fb_collect *c, const cJSON *m)
{
	const char *window = name_of(m, "window"),
		   *source = name_of(m, "source");
	const cJSON *values = cJSON_GetObjectItemCaseSensitive(m, "values"), *v;
	if (!window || !source || !cJSON_IsObject(values))
		return damaged(c, "evidence without a name");
	cJSON_ArrayForEach(v, values) {
		if (!fb_metric_name_ok(v->string))
			return damaged(c, "evidence without a name");
		if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble))
			return damaged(c, "a value that is not a number");
		fb_boot_add_evidence(c->boot, window, source, v->string,
				     v->valuedouble);
	}
	return FB_COLLECT_NOTHING;
}

static enum fb_collect_event take_setting(struct fb_collect *c, const cJSON *m)
{
	const char *subject = name_of(m, "subject"), *key = name_of(m, "key");
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(m, "value");
	if (!subject || !key || !cJSON_IsString(value))
		return damaged(c, "a setting without a name");
	fb_boot_add_setting(c->boot, subject, key, value->valuestring);
	return FB_COLLECT_NOTHING;
}

/* The list's numbers, exactly n (or any multiple of it); or NULL. */
static const cJSON *numbers_of(const cJSON *m, const char *key, int n,
			       bool multiple)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(m, key), *v;
	int have = cJSON_GetArraySize(list);
	if (!cJSON_IsArray(list) || (multiple ? have % n : have != n))
		return NULL;
	cJSON_ArrayForEach(v, list)
		if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble))
			return NULL;
	return list;
}

static enum fb_collect_event take_vmstat(struct fb_collect *c, const cJSON *m)
{
	const char *window = name_of(m, "window");
	const cJSON *values = numbers_of(m, "values", FB_VMSTAT_COLUMNS, false);
	double at, row[FB_VMSTAT_COLUMNS];
	const cJSON *v;
	if (!window || !values || !number_of(m, "at", &at))
		return damaged(c, "a row of the timeline is no row");
	size_t i = 0;
	cJSON_ArrayForEach(v, values)
		row[i++] = v->valuedouble;
	fb_boot_add_timeline(c->boot, window, at, row);
	return FB_COLLECT_NOTHING;
}

static enum fb_collect_event take_histogram(struct fb_collect *c,
					    const cJSON *m)
{
	const char *window = name_of(m, "window"),
		   *operation = name_of(m, "operation");
	const cJSON *buckets = numbers_of(m, "buckets", 3, true);
	if (!window || !operation || !buckets)
		return damaged(c, "a histogram is none");
	for (const cJSON *v = buckets->child; v; v = v->next->next->next)
		fb_boot_add_bucket(c->boot, window, operation, v->valuedouble,
				   v->next->valuedouble,
				   v->next->next->valuedouble);
	return FB_COLLECT_NOTHING;
}

static enum fb_collect_event take_output(struct fb_collect *c, const cJSON *m)
{
	const cJSON *text = cJSON_GetObjectItemCaseSensitive(m, "text");
	if (!cJSON_IsString(text))
		return damaged(c, "output that is no text");
	size_t n = strlen(text->valuestring);
	if (c->output_len + n > OUTPUT_MAX)
		return damaged(c, "a command's output is too long");
	c->output = fb_realloc(c->output, c->output_len + n + 1, 1);
	memcpy(c->output + c->output_len, text->valuestring, n + 1);
	c->output_len += n;
	return FB_COLLECT_NOTHING;
}

/* "FIGURE=VALUE" lines; others are talk. */
static size_t figures_of_lines(struct fb_collect *c, const char *window)
{
	size_t found = 0;
	char *state = NULL;
	for (char *line = strtok_r(c->output, "\n", &state); line;
	     line = strtok_r(NULL, "\n", &state)) {
		double value;
		char *equals = strchr(line, '=');
		if (!equals || !fb_parse_double(equals + 1, &value))
			continue;
		*equals = '\0';
		fb_autofree char *metric = fb_strf("%s.%s", window, line);
		if (fb_metric_name_ok(metric) &&
		    fb_boot_add_sample(c->boot, window, metric, value))
			found++;
	}
	return found;
}

/* One step of a pointer: "~1" is a slash, "~0" a tilde (RFC 6901, 4). */
static char *pointer_step(const char **pointer)
{
	const char *p = *pointer + 1;
	size_t n = strcspn(p, "/"), k = 0;
	char *step = fb_strndup(p, n);
	*pointer = p + n;
	for (size_t i = 0; i < n; i++, k++) {
		step[k] = p[i];
		if (p[i] == '~' && (p[i + 1] == '0' || p[i + 1] == '1'))
			step[k] = p[++i] == '0' ? '~' : '/';
	}
	step[k] = '\0';
	return step;
}

/* Debian's cJSON comes without the utilities that have this. */
static const cJSON *json_at(const cJSON *v, const char *pointer)
{
	while (v && *pointer == '/') {
		fb_autofree char *step = pointer_step(&pointer);
		long index;
		if (cJSON_IsArray(v))
			v = fb_parse_long(step, 0, 1 << 20, &index) ?
				    cJSON_GetArrayItem(v, (int)index) :
				    NULL;
		else
			v = cJSON_GetObjectItemCaseSensitive(v, step);
	}
	return v;
}

/* Each "FIGURE=/json/pointer" (RFC 6901) into the one JSON text. */
static size_t figures_of_json(struct fb_collect *c, const char *window,
			      const struct fb_strv *figures)
{
	size_t found = 0;
	/* Programs such as fio talk before their JSON. */
	const char *start = c->output ? strchr(c->output, '{') : NULL;
	cJSON *root = start ? cJSON_Parse(start) : NULL;
	for (size_t i = 0; root && i < figures->n; i++) {
		const char *pointer = strchr(figures->v[i], '=') + 1;
		const cJSON *v = json_at(root, pointer);
		fb_autofree char *metric = fb_strf(
			"%s.%.*s", window, (int)(pointer - 1 - figures->v[i]),
			figures->v[i]);
		if (cJSON_IsNumber(v) && fb_metric_name_ok(metric) &&
		    fb_boot_add_sample(c->boot, window, metric, v->valuedouble))
			found++;
	}
	cJSON_Delete(root);
	return found;
}

/* All of a command's output is here: its figures are read from it. */
static enum fb_collect_event take_command(struct fb_collect *c, const cJSON *m)
{
	const char *window = name_of(m, "window");
	const struct fb_user_command *cmd = NULL;
	for (size_t i = 0; window && i < c->cfg->n_commands; i++)
		if (fb_streq(c->cfg->commands[i].name, fb_metric_base(window)))
			cmd = &c->cfg->commands[i];
	if (!cmd)
		return damaged(c, "output of a command that was not asked for");
	size_t found = !c->output ? 0 :
		       cmd->figures.n ?
				    figures_of_json(c, window, &cmd->figures) :
				    figures_of_lines(c, window);
	bool all = cmd->figures.n ? found == cmd->figures.n : found > 0;
	fb_collect_release(c);
	c->output_len = 0;
	if (all)
		return FB_COLLECT_NOTHING;
	snprintf(c->error, sizeof(c->error),
		 "%s printed %s of its figures: see the console log", cmd->name,
		 found ? "only some" : "none");
	c->failed = true;
	return FB_COLLECT_FAILED;
}

static enum fb_collect_event take_error(struct fb_collect *c, const cJSON *m)
{
	const cJSON *text = cJSON_GetObjectItemCaseSensitive(m, "text");
	snprintf(c->error, sizeof(c->error), "%s",
		 cJSON_IsString(text) ? text->valuestring : "unknown error");
	c->failed = true;
	return FB_COLLECT_ERROR;
}

static enum fb_collect_event take_done(struct fb_collect *c, const cJSON *m)
{
	if (c->window[0])
		return damaged(c, "a window was not closed");
	keep_time(c, m, "time", "done_seconds");
	if (c->host_span > 0) {
		fb_boot_add_evidence(c->boot, "boot", "clock", "guest_span",
				     c->guest_span);
		fb_boot_add_evidence(c->boot, "boot", "clock", "host_span",
				     c->host_span);
	}
	c->done = true;
	return FB_COLLECT_DONE;
}

static const struct {
	const char *type;
	enum fb_collect_event (*take)(struct fb_collect *c, const cJSON *m);
} takers[] = {
	{ "begin", take_begin },     { "end", take_end },
	{ "sample", take_sample },   { "evidence", take_evidence },
	{ "setting", take_setting }, { "vmstat", take_vmstat },
	{ "error", take_error },     { "histogram", take_histogram },
	{ "output", take_output },   { "command", take_command },
	{ "done", take_done },
};

static enum fb_collect_event dispatch(struct fb_collect *c, const cJSON *m)
{
	const char *type = name_of(m, "type");
	if (!type)
		return damaged(c, "a line without a type");
	if (strcmp(type, "hello") == 0) {
		c->hello = true;
		keep_time(c, m, "started", "init_seconds");
		return FB_COLLECT_HELLO;
	}
	if (!c->hello)
		return damaged(c, "the first line is missing");
	if (fb_boot_values(c->boot) >= FB_BOOT_VALUES_MAX)
		return damaged(c, "too many values");
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		if (strcmp(type, takers[i].type) == 0)
			return takers[i].take(c, m);
	return damaged(c, "a line of unknown type");
}

enum fb_collect_event fb_collect_line(struct fb_collect *c, char *line,
				      size_t len, bool cut)
{
	unsigned seq;
	char *json;
	if (c->damaged || c->failed || c->done)
		return FB_COLLECT_NOTHING;
	switch (fb_frame_parse(line, len, c->token, &seq, &json)) {
	case FB_FRAME_FOREIGN:
		/* A line of ours with something before it was torn. */
		return strstr(line, c->token) ? damaged(c, "a damaged line") :
						FB_COLLECT_NOTHING;
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

size_t fb_collect_disk(const struct fb_collect *c)
{
	for (size_t i = 0; c->cfg->n_disks > 1 && i < c->cfg->n_disks; i++) {
		const char *name = c->cfg->disks[i].name;
		size_t n = strlen(name);
		if (strncmp(c->window, name, n) == 0 && c->window[n] == '/')
			return i;
	}
	return 0;
}

/* What one disk did between two readings, in the order of disk_keys. */
enum { RD_OPS, RD_BYTES, RD_NS, WR_OPS, WR_BYTES, WR_NS, FLUSHES, N_KEYS };
static const char *const disk_keys[N_KEYS] = {
	"rd_operations", "rd_bytes",   "rd_time_ns",	  "wr_operations",
	"wr_bytes",	 "wr_time_ns", "flush_operations"
};

static void difference(const struct fb_blockstats *b,
		       const struct fb_blockstats *a, double d[N_KEYS])
{
	d[RD_OPS] = a->rd_operations - b->rd_operations;
	d[RD_BYTES] = a->rd_bytes - b->rd_bytes;
	d[RD_NS] = a->rd_time_ns - b->rd_time_ns;
	d[WR_OPS] = a->wr_operations - b->wr_operations;
	d[WR_BYTES] = a->wr_bytes - b->wr_bytes;
	d[WR_NS] = a->wr_time_ns - b->wr_time_ns;
	d[FLUSHES] = a->flush_operations - b->flush_operations;
}

static void host_counter(struct fb_collect *c, const char *suffix, double value)
{
	fb_autofree char *name = fb_strf("%s.%s", c->window, suffix);
	fb_boot_add_sample(c->boot, c->window, name, value);
}

/* Request size and time at the disk, out of the guest's power to misreport. */
static void host_counters(struct fb_collect *c, const double d[N_KEYS],
			  double instructions)
{
	double ops = d[RD_OPS] + d[WR_OPS];
	if (ops > 0) {
		host_counter(c, "host_request_kib",
			     (d[RD_BYTES] + d[WR_BYTES]) / 1024 / ops);
		host_counter(c, "device_us", (d[RD_NS] + d[WR_NS]) / 1e3 / ops);
	}
	if (instructions > 0 && c->bytes > 0)
		host_counter(c, "instructions_per_mib",
			     instructions / (c->bytes / (1 << 20)));
}

static void other_disk(struct fb_collect *c, size_t disk,
		       const double d[N_KEYS])
{
	if (d[RD_OPS] + d[WR_OPS] + d[FLUSHES] == 0)
		return;
	fb_autofree char *source =
		fb_strf("blockstats/%s", c->cfg->disks[disk].name);
	for (int k = 0; k < N_KEYS; k++)
		fb_boot_add_evidence(c->boot, c->window, source, disk_keys[k],
				     d[k]);
}

/*
 * From the first window's beginning to the last one's: the way from the guest's
 * clock to the host's is the same at both, and cancels. Within one window the
 * host's reading of its counters would be counted, too.
 */
static void keep_span(struct fb_collect *c, double host_began)
{
	if (c->windows++ == 0) {
		c->host_first = host_began;
		c->guest_first = c->guest_began;
	}
	c->host_span = host_began - c->host_first;
	c->guest_span = c->guest_began - c->guest_first;
}

enum fb_collect_event fb_collect_host(struct fb_collect *c,
				      const struct fb_border *before,
				      const struct fb_border *after)
{
	size_t main = fb_collect_disk(c);
	double d[N_KEYS], instructions = 0;
	for (size_t i = 0; i < c->cfg->n_disks; i++) {
		if (i == main)
			continue;
		difference(&before->disks[i], &after->disks[i], d);
		other_disk(c, i, d);
	}
	difference(&before->disks[main], &after->disks[main], d);
	for (int k = 0; k < N_KEYS; k++)
		fb_boot_add_evidence(c->boot, c->window, "blockstats",
				     disk_keys[k], d[k]);
	keep_span(c, before->time);
	fb_boot_add_evidence(c->boot, c->window, "clock", "host_seconds",
			     after->time - before->time);
	fb_boot_add_evidence(c->boot, c->window, "clock", "guest_seconds",
			     c->guest_seconds);
	if (before->instructions > 0) {
		instructions = after->instructions - before->instructions;
		fb_boot_add_evidence(c->boot, c->window, "clock",
				     "instructions", instructions);
	}
	fb_host_evidence(c->boot, c->window, &before->host, &after->host);
	if (d[RD_BYTES] < DELIVERED_AT_LEAST * c->from_disk) {
		fb_autofree char *why = fb_strf(
			"%s claims %.0f bytes from the disk, which delivered "
			"%.0f",
			c->window, c->from_disk, d[RD_BYTES]);
		return damaged(c, why);
	}
	host_counters(c, d, instructions);
	c->window[0] = '\0';
	return FB_COLLECT_NOTHING;
}
