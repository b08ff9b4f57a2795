/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "locate.h"
#include "metric.h"
#include "options.h"
#include "plan.h"

#define CONFIG_MAX_BYTES (1 << 20)

struct source {
	const char *origin;
	const char *text; /* comments blanked */
};

static void add_default_disk(struct fb_config *cfg)
{
	cfg->disks = fb_calloc(1, sizeof(*cfg->disks));
	cfg->n_disks = 1;
	option_set_fallbacks(disk_options, &cfg->disks[0]);
	cfg->disks[0].name = fb_strdup("ahci0");
}

void fb_config_init(struct fb_config *cfg)
{
	*cfg = (struct fb_config){ 0 };
	option_set_fallbacks(config_options, cfg);
	add_default_disk(cfg);
}

static int complain(const struct source *src, const char *key,
		    struct fb_error *err)
{
	unsigned line = json_line_of_key(src->text, key);
	if (line)
		return fb_error_wrap(err, "%s:%u: \"%s\"", src->origin, line,
				     key);
	return fb_error_wrap(err, "%s: \"%s\"", src->origin, key);
}

static bool is_section(const char *key)
{
	size_t n = strlen(key);
	for (const struct option *o = config_options; o->key; o++)
		if (strncmp(o->key, key, n) == 0 && o->key[n] == '.')
			return true;
	return false;
}

static int parse_member(const struct source *src, const struct option_list *l,
			void *object, const cJSON *json, struct fb_error *err)
{
	const cJSON *item;
	option_set_fallbacks(l->options, object);
	if (!cJSON_IsObject(json)) {
		fb_error_set(err, FB_E_USAGE, "wants a list of objects");
		return complain(src, l->key, err);
	}
	cJSON_ArrayForEach(item, json) {
		const struct option *o = option_find(l->options, item->string);
		int rc = o ? option_set(o, object, item, err) :
			     fb_error_set(err, FB_E_USAGE, "no such key");
		if (rc) {
			fb_autofree char *key =
				fb_strf("%s.%s", l->key, item->string);
			return complain(src, key, err);
		}
	}
	return l->check(object, err) ? complain(src, l->key, err) : 0;
}

static int parse_list(struct fb_config *cfg, const struct source *src,
		      const struct option_list *l, const cJSON *json,
		      struct fb_error *err)
{
	l->release(cfg);
	if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) > (int)l->max) {
		fb_error_set(err, FB_E_USAGE, "wants a list of 1 to %zu",
			     l->max);
		return complain(src, l->key, err);
	}
	char *items = fb_calloc((size_t)cJSON_GetArraySize(json) + 1, l->size);
	size_t *n = (size_t *)((char *)cfg + l->count);
	*(void **)((char *)cfg + l->items) = items;
	const cJSON *item;
	cJSON_ArrayForEach(item, json) {
		int rc = parse_member(src, l, items + l->size * (*n)++, item,
				      err);
		if (rc)
			return rc;
	}
	return 0;
}

static const struct option_list *find_list(const char *key)
{
	for (const struct option_list *l = option_lists; l->key; l++)
		if (strcmp(l->key, key) == 0)
			return l;
	return NULL;
}

static int parse_object(struct fb_config *cfg, const struct source *src,
			const char *prefix, const cJSON *object,
			struct fb_error *err)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, object) {
		fb_autofree char *key = fb_strf(
			"%s%s%s", prefix, *prefix ? "." : "", item->string);
		const struct option *o = option_find(config_options, key);
		int rc;
		if (o) {
			rc = option_set(o, cfg, item, err);
			if (rc)
				return complain(src, key, err);
		} else if (find_list(key)) {
			rc = parse_list(cfg, src, find_list(key), item, err);
		} else if (cJSON_IsObject(item) && is_section(key)) {
			rc = parse_object(cfg, src, key, item, err);
		} else {
			fb_error_set(err, FB_E_USAGE,
				     is_section(key) ? "wants an object" :
						       "no such key; `firstbad "
						       "init` writes them all");
			return complain(src, key, err);
		}
		if (rc)
			return rc;
	}
	return 0;
}

int fb_config_parse(struct fb_config *cfg, const char *text, const char *origin,
		    struct fb_error *err)
{
	fb_autofree char *plain = json_blank_comments(text);
	const char *end = NULL;
	cJSON *root = cJSON_ParseWithOpts(plain, &end, true);
	if (!root)
		return fb_error_set(err, FB_E_USAGE,
				    "%s:%u: not JSON from here on", origin,
				    json_line_of(plain, end ? end : plain));
	struct source src = { origin, plain };
	int rc = cJSON_IsObject(root) ?
			 parse_object(cfg, &src, "", root, err) :
			 fb_error_set(err, FB_E_USAGE, "%s: wants an object",
				      origin);
	cJSON_Delete(root);
	return rc;
}

int fb_config_load(struct fb_config *cfg, const char *path,
		   struct fb_error *err)
{
	fb_autofree char *text = NULL;
	size_t len;
	int rc = fb_file_read(path, CONFIG_MAX_BYTES, &text, &len, err);
	if (rc)
		return rc;
	if (strlen(text) != len)
		return fb_error_set(err, FB_E_USAGE, "%s: holds a NUL byte",
				    path);
	return fb_config_parse(cfg, text, path, err);
}

int fb_config_set(struct fb_config *cfg, const char *key, const char *json,
		  const char *origin, struct fb_error *err)
{
	const struct option *o = option_find(config_options, key);
	const struct option_list *l = find_list(key);
	struct source src = { origin, json };
	cJSON *value = cJSON_ParseWithOpts(json, NULL, true);
	int rc;
	if (!o && !l)
		rc = fb_error_set(err, FB_E_USAGE, "no such key");
	else if (!value)
		rc = fb_error_set(err, FB_E_USAGE, "cannot read %s", json);
	else
		rc = o ? option_set(o, cfg, value, err) :
			 parse_list(cfg, &src, l, value, err);
	cJSON_Delete(value);
	return rc ? fb_error_wrap(err, "%s", origin) : 0;
}

static bool produces(const struct fb_config *cfg, const struct fb_workload *w)
{
	return fb_workload_selected(w, cfg->workloads.v, cfg->workloads.n);
}

/* Every metric that the configured workloads produce, for a message. */
static char *all_metrics(const struct fb_config *cfg)
{
	char *all = NULL;
	size_t size;
	FILE *f = open_memstream(&all, &size);
	for (const struct fb_workload *w = fb_workloads; w->name; w++)
		for (const struct fb_figure *g = w->figures;
		     produces(cfg, w) && g->name; g++)
			fprintf(f, " %s", g->name);
	for (size_t i = 0; i < cfg->n_commands; i++)
		fprintf(f, " %s.FIGURE", cfg->commands[i].name);
	fclose(f);
	return all;
}

/* The disk before the slash, or none when there is one disk. */
static int check_metric_disk(const struct fb_config *cfg, struct fb_error *err)
{
	const char *slash = strchr(cfg->metric, '/');
	if (cfg->n_disks > 1 && !slash)
		return fb_error_set(err, FB_E_USAGE,
				    "there are %zu disks: say which by "
				    "--metric %s/%s",
				    cfg->n_disks, cfg->disks[0].name,
				    cfg->metric);
	if (!slash)
		return 0;
	size_t n = (size_t)(slash - cfg->metric);
	for (size_t i = 0; cfg->n_disks > 1 && i < cfg->n_disks; i++)
		if (strlen(cfg->disks[i].name) == n &&
		    strncmp(cfg->disks[i].name, cfg->metric, n) == 0)
			return 0;
	return fb_error_set(err, FB_E_USAGE,
			    cfg->n_disks > 1 ?
				    "no disk is called \"%.*s\"" :
				    "with one disk metrics have no \"%.*s/\" "
				    "before them",
			    (int)n, cfg->metric);
}

static int check_metric(const struct fb_config *cfg, struct fb_error *err)
{
	if (!cfg->metric || !*cfg->metric)
		return fb_error_set(err, FB_E_USAGE,
				    "no metric: give --metric NAME");
	if (cfg->runner.kind == FB_RUNNER_EXEC ||
	    fb_streq(cfg->metric, FB_METRIC_AUTO))
		return 0;
	const struct fb_workload *w = fb_workload_for_metric(cfg->metric);
	if (!fb_config_command_for_metric(cfg, cfg->metric) &&
	    (!w || !produces(cfg, w))) {
		fb_autofree char *all = all_metrics(cfg);
		return fb_error_set(err, FB_E_USAGE,
				    "no configured workload produces the "
				    "metric \"%s\"; there are:%s",
				    cfg->metric, all);
	}
	if (fb_ends_with(cfg->metric, ".merge_ratio"))
		return fb_error_set(err, FB_E_USAGE,
				    "%s may be zero and cannot be bisected; "
				    "take .request_kib, which falls with it",
				    cfg->metric);
	return check_metric_disk(cfg, err);
}

static int check_workloads(const struct fb_config *cfg, struct fb_error *err)
{
	for (size_t i = 0; i < cfg->workloads.n; i++) {
		const struct fb_workload *w = fb_workloads;
		while (w->name &&
		       !fb_workload_selected(w, &cfg->workloads.v[i], 1))
			w++;
		bool found = w->name;
		for (size_t c = 0; c < cfg->n_commands; c++)
			found |= fb_streq(cfg->commands[c].name,
					  cfg->workloads.v[i]);
		if (!found)
			return fb_error_set(err, FB_E_USAGE,
					    "there is no workload or command "
					    "\"%s\"",
					    cfg->workloads.v[i]);
	}
	return 0;
}

static int check_commands(const struct fb_config *cfg, struct fb_error *err)
{
	for (size_t i = 0; i < cfg->n_commands; i++) {
		const struct fb_user_command *c = &cfg->commands[i];
		if (c->timeout >= cfg->machine.silence_timeout)
			return fb_error_set(err, FB_E_USAGE,
					    "command \"%s\": its timeout must "
					    "be below machine.silence_timeout",
					    c->name);
		for (size_t j = 0; j < i; j++)
			if (fb_streq(c->name, cfg->commands[j].name))
				return fb_error_set(err, FB_E_USAGE,
						    "two commands are called "
						    "\"%s\"",
						    c->name);
	}
	return 0;
}

static bool needs_file(const struct fb_config *cfg)
{
	for (const struct fb_workload *w = fb_workloads; w->name; w++)
		if (w->flags & FB_WORKLOAD_ON_FILE && produces(cfg, w))
			return true;
	return false;
}

static int check_disk(const struct fb_config *cfg, const struct fb_disk *d,
		      struct fb_error *err)
{
	unsigned file = fb_config_file_mib(cfg);
	/*
	 * The file system has three quarters of the disk; an eighth of that
	 * is more than what ext4 keeps for itself.
	 */
	unsigned room = d->size_mib / 4 * 3;
	if (d->filesystem == FB_FS_RAW)
		room = d->size_mib;
	else
		room -= room / 8;
	if (needs_file(cfg) && room < file)
		return fb_error_set(err, FB_E_USAGE,
				    "disk \"%s\" (%u MiB) is too small for a "
				    "file of %u MiB",
				    d->name, d->size_mib, file);
	/* mkfs.xfs and mkfs.btrfs refuse less. */
	if ((d->filesystem == FB_FS_XFS && d->size_mib < 512) ||
	    (d->filesystem == FB_FS_BTRFS && d->size_mib < 256))
		return fb_error_set(err, FB_E_USAGE,
				    "disk \"%s\" (%u MiB) is too small for %s",
				    d->name, d->size_mib,
				    fb_filesystem_names[d->filesystem]);
	return 0;
}

/* A throttle counts the host's seconds, the instruction clock does not. */
static int check_clock(const struct fb_config *cfg, struct fb_error *err)
{
	if (cfg->machine.clock != FB_CLOCK_ICOUNT || cfg->machine.mix_clocks ||
	    !fb_config_throttled(cfg))
		return 0;
	return fb_error_set(err, FB_E_USAGE,
			    "machine.clock \"icount\" with a throttled disk "
			    "measures nothing: the throttle counts seconds of "
			    "the host, the clock instructions; take \"auto\", "
			    "or set machine.mix_clocks to insist");
}

/* What the emulated controllers have places for. */
static int check_buses(const struct fb_config *cfg, struct fb_error *err)
{
	unsigned n[FB_BUS_COUNT] = { 0 };
	for (size_t i = 0; i < cfg->n_disks; i++)
		n[cfg->disks[i].bus]++;
	unsigned ahci = n[FB_BUS_AHCI], ata = n[FB_BUS_ATA];
	if (ahci > 6 || ata > 4)
		return fb_error_set(err, FB_E_USAGE,
				    "%u AHCI and %u ATA disks: there are 6 "
				    "AHCI ports and 4 places on ATA channels",
				    ahci, ata);
	return 0;
}

static int check_disks(const struct fb_config *cfg, struct fb_error *err)
{
	if (cfg->n_disks == 0)
		return fb_error_set(err, FB_E_USAGE, "no disk is configured");
	for (size_t i = 0; i < cfg->n_disks; i++) {
		const struct fb_disk *d = &cfg->disks[i];
		for (size_t j = 0; j < i; j++)
			if (strcasecmp(d->name, cfg->disks[j].name) == 0)
				return fb_error_set(err, FB_E_USAGE,
						    "two disks are called "
						    "\"%s\"",
						    d->name);
		int rc = check_disk(cfg, d, err);
		if (rc)
			return rc;
	}
	int rc = check_buses(cfg, err);
	return rc ? rc : check_clock(cfg, err);
}

static int check_knobs(const struct fb_config *cfg, struct fb_error *err)
{
	for (size_t i = 0; i < cfg->knobs.n; i++) {
		const char *knob = cfg->knobs.v[i];
		size_t n = strcspn(knob, "=");
		if (n == 0 || n > 127 || !knob[n] || !knob[n + 1] ||
		    strlen(knob + n) > 63 || strpbrk(knob, " \n") ||
		    strstr(knob, ".."))
			return fb_error_set(err, FB_E_USAGE,
					    "\"knobs\": \"%s\" is not "
					    "PATH=VALUE",
					    knob);
	}
	return cfg->knobs.n > 32 ?
		       fb_error_set(err, FB_E_USAGE,
				    "\"knobs\": 32 of them at most") :
		       0;
}

int fb_config_check(const struct fb_config *cfg, struct fb_error *err)
{
	bool exec = cfg->runner.kind == FB_RUNNER_EXEC;
	int rc = exec ? 0 : check_workloads(cfg, err);
	if (rc == 0)
		rc = check_commands(cfg, err);
	if (rc == 0)
		rc = check_knobs(cfg, err);
	if (rc == 0)
		rc = check_metric(cfg, err);
	if (rc == 0 && cfg->samples.max && cfg->samples.min > cfg->samples.max)
		rc = fb_error_set(err, FB_E_USAGE,
				  "samples.min is above samples.max");
	if (rc == 0 && cfg->samples.endpoint > cfg->samples.endpoint_max)
		rc = fb_error_set(err, FB_E_USAGE,
				  "samples.endpoint is above "
				  "samples.endpoint_max");
	if (rc == 0 && cfg->read_seconds >= cfg->machine.silence_timeout)
		rc = fb_error_set(err, FB_E_USAGE,
				  "read_seconds must be below "
				  "machine.silence_timeout");
	if (rc)
		return rc;
	if (exec)
		return cfg->runner.command.n ?
			       0 :
			       fb_error_set(err, FB_E_USAGE,
					    "the exec runner wants a command: "
					    "give --exec CMD");
	return check_disks(cfg, err);
}
