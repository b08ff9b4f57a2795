/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio --output-format=json: bandwidth of every job and direction in MiB/s
 * (bw_bytes), its p99 and the processor's share beside it.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "metric.h"
#include "reader.h"

#define AHEAD 8

bool fio_looks(const struct reader *r)
{
	if (!fb_streq(reader_line(r, 0), "{"))
		return false;
	for (size_t i = 1; i <= AHEAD; i++)
		if (fb_starts_with(reader_line(r, i), "\"fio version\""))
			return true;
	return false;
}

static double field(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

static void direction(struct reader *r, const cJSON *job, const char *name,
		      const char *key)
{
	const cJSON *d = cJSON_GetObjectItemCaseSensitive(job, key);
	double bytes = field(d, "bw_bytes");
	/* Before fio 3: KiB/s, and no bw_bytes. */
	if (bytes <= 0)
		bytes = 1024 * field(d, "bw");
	if (bytes <= 0)
		return;
	fb_autofree char *metric = fb_strf("fio.%s.%s", name, key);
	reader_figure(r, metric, bytes / (1 << 20));
	const cJSON *lat = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(d, "clat_ns"), "percentile");
	double p99 = field(lat, "99.000000") / 1e3;
	if (p99 > 0)
		reader_counter(r, metric, "latency_p99", p99);
	double cpu = field(job, "usr_cpu") + field(job, "sys_cpu");
	if (cpu > 0)
		reader_counter(r, metric, "cpu_percent", cpu);
}

static void jobs(struct reader *r, const cJSON *root)
{
	const cJSON *job,
		*list = cJSON_GetObjectItemCaseSensitive(root, "jobs");
	cJSON_ArrayForEach(job, list) {
		const cJSON *name =
			cJSON_GetObjectItemCaseSensitive(job, "jobname");
		fb_autofree char *label = section_label(
			cJSON_IsString(name) ? name->valuestring : "job", NULL);
		direction(r, job, *label ? label : "job", "read");
		direction(r, job, *label ? label : "job", "write");
	}
}

size_t fio_read(struct reader *r)
{
	/* The lines up to the brace that closes the first one. */
	struct fb_strv text = { 0 };
	long depth = 0;
	size_t i = 0;
	for (; r->at + i < r->n && r->lines[r->at + i].selected; i++) {
		const char *s = reader_line(r, i);
		bool string = false;
		for (const char *p = s; *p; p++) {
			if (*p == '\\' && string && p[1])
				p++;
			else if (*p == '"')
				string = !string;
			else if (!string)
				depth += (*p == '{') - (*p == '}');
		}
		fb_strv_add(&text, s);
		if (depth <= 0)
			break;
	}
	fb_autofree char *all = fb_strv_join(&text, "\n");
	fb_strv_release(&text);
	cJSON *root = depth == 0 ? cJSON_Parse(all) : NULL;
	if (!root) {
		r->why = depth ? "its closing brace is missing" :
				 "it is not valid JSON";
		return 0;
	}
	jobs(r, root);
	cJSON_Delete(root);
	return i + 1;
}
