/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "locate.h"
#include "metric.h"
#include "options.h"

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

static bool good_disk_name(const char *name)
{
	size_t n = name ? strlen(name) : 0;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]))
			return false;
	/*
	 * QEMU's ids begin with a letter. The serial number is the name with
	 * "FB" before it: 20 at most.
	 */
	return n > 0 && n <= 16 && isalpha((unsigned char)name[0]);
}

static int parse_disk(const struct source *src, struct fb_disk *disk,
		      const cJSON *object, struct fb_error *err)
{
	const cJSON *item;
	option_set_fallbacks(disk_options, disk);
	if (!cJSON_IsObject(object)) {
		fb_error_set(err, FB_E_USAGE, "wants a list of objects");
		return complain(src, "disks", err);
	}
	cJSON_ArrayForEach(item, object) {
		const struct option *o =
			option_find(disk_options, item->string);
		int rc = o ? option_set(o, disk, item, err) :
			     fb_error_set(err, FB_E_USAGE, "no such key");
		if (rc) {
			fb_autofree char *key =
				fb_strf("disks.%s", item->string);
			return complain(src, key, err);
		}
	}
	if (!good_disk_name(disk->name)) {
		fb_error_set(err, FB_E_USAGE,
			     "each disk wants a \"name\" of 1 to 16 letters "
			     "and digits, a letter first");
		return complain(src, "disks", err);
	}
	return 0;
}

static int parse_disks(struct fb_config *cfg, const struct source *src,
		       const cJSON *list, struct fb_error *err)
{
	for (size_t i = 0; i < cfg->n_disks; i++) {
		free(cfg->disks[i].name);
		free(cfg->disks[i].filesystem);
	}
	free(cfg->disks);
	cfg->n_disks = 0;
	cfg->disks = fb_calloc((size_t)cJSON_GetArraySize(list) + 1,
			       sizeof(*cfg->disks));
	if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > 8) {
		fb_error_set(err, FB_E_USAGE, "wants a list of 1 to 8 disks");
		return complain(src, "disks", err);
	}
	const cJSON *item;
	cJSON_ArrayForEach(item, list) {
		int rc =
			parse_disk(src, &cfg->disks[cfg->n_disks++], item, err);
		if (rc)
			return rc;
	}
	return 0;
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
		} else if (strcmp(key, "disks") == 0) {
			rc = parse_disks(cfg, src, item, err);
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
	cJSON *value = cJSON_ParseWithOpts(json, NULL, true);
	int rc = !o ? fb_error_set(err, FB_E_USAGE, "no such key") :
		 !value ?
		      fb_error_set(err, FB_E_USAGE, "cannot read %s", json) :
		      option_set(o, cfg, value, err);
	cJSON_Delete(value);
	return rc ? fb_error_wrap(err, "%s", origin) : 0;
}

static bool produces(const struct fb_config *cfg, const struct fb_workload *w)
{
	return fb_workload_selected(w, cfg->workloads.v, cfg->workloads.n);
}

static int check_metric(const struct fb_config *cfg, struct fb_error *err)
{
	if (!cfg->metric || !*cfg->metric)
		return fb_error_set(err, FB_E_USAGE,
				    "no metric: give --metric NAME");
	if (cfg->runner.kind == FB_RUNNER_EXEC)
		return 0;
	const struct fb_workload *w = fb_workload_for_metric(cfg->metric);
	if (!w || !produces(cfg, w)) {
		char *all = NULL;
		size_t size;
		FILE *f = open_memstream(&all, &size);
		for (w = fb_workloads; w->name; w++)
			for (const char *const *m = w->metrics;
			     produces(cfg, w) && *m; m++)
				fprintf(f, " %s", *m);
		fclose(f);
		fb_error_set(err, FB_E_USAGE,
			     "no configured workload produces the metric "
			     "\"%s\"; there are:%s",
			     cfg->metric, all);
		free(all);
		return err->code;
	}
	if (fb_ends_with(cfg->metric, ".merge_ratio"))
		return fb_error_set(err, FB_E_USAGE,
				    "%s may be zero and cannot be bisected; "
				    "take .request_kib, which falls with it",
				    cfg->metric);
	const char *slash = strchr(cfg->metric, '/');
	if (cfg->n_disks > 1 && !slash)
		return fb_error_set(
			err, FB_E_USAGE,
			"there are %zu disks: say which by --metric "
			"%s/%s",
			cfg->n_disks, cfg->disks[0].name, cfg->metric);
	size_t n = slash ? (size_t)(slash - cfg->metric) : 0;
	for (size_t i = 0; slash && i < cfg->n_disks; i++)
		if (cfg->n_disks > 1 && strlen(cfg->disks[i].name) == n &&
		    strncmp(cfg->disks[i].name, cfg->metric, n) == 0)
			slash = NULL;
	if (slash)
		return fb_error_set(err, FB_E_USAGE,
				    cfg->n_disks > 1 ?
					    "no disk is called \"%.*s\"" :
					    "with one disk metrics have no "
					    "\"%.*s/\" before them",
				    (int)n, cfg->metric);
	return 0;
}

static int check_workloads(const struct fb_config *cfg, struct fb_error *err)
{
	for (size_t i = 0; i < cfg->workloads.n; i++) {
		const struct fb_workload *w = fb_workloads;
		while (w->name &&
		       !fb_workload_selected(w, &cfg->workloads.v[i], 1))
			w++;
		if (!w->name)
			return fb_error_set(err, FB_E_USAGE,
					    "there is no workload \"%s\"",
					    cfg->workloads.v[i]);
	}
	return 0;
}

static bool needs_file(const struct fb_config *cfg)
{
	for (const struct fb_workload *w = fb_workloads; w->name; w++)
		if (w->writes && produces(cfg, w))
			return true;
	return false;
}

static int check_disk(const struct fb_config *cfg, const struct fb_disk *d,
		      struct fb_error *err)
{
	static const char *const known[] = { "ext2", "ext3", "ext4" };
	unsigned file = fb_config_file_mib(cfg);
	bool ok = false;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ok |= fb_streq(d->filesystem, known[i]);
	if (!ok)
		return fb_error_set(err, FB_E_USAGE,
				    "disk \"%s\": file system must be ext4, "
				    "ext3 or ext2",
				    d->name);
	/* An eighth is more than what ext4 keeps for itself. */
	if (needs_file(cfg) && d->size_mib - d->size_mib / 8 < file)
		return fb_error_set(err, FB_E_USAGE,
				    "disk \"%s\" (%u MiB) is too small for "
				    "bonnie's file of %u MiB",
				    d->name, d->size_mib, file);
	return 0;
}

/* What the emulated controllers have places for. */
static int check_buses(const struct fb_config *cfg, struct fb_error *err)
{
	unsigned ahci = 0, ata = 0;
	for (size_t i = 0; i < cfg->n_disks; i++)
		cfg->disks[i].bus == FB_BUS_ATA ? ata++ : ahci++;
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
	return check_buses(cfg, err);
}

int fb_config_check(const struct fb_config *cfg, struct fb_error *err)
{
	bool exec = cfg->runner.kind == FB_RUNNER_EXEC;
	int rc = exec ? 0 : check_workloads(cfg, err);
	if (rc == 0)
		rc = check_metric(cfg, err);
	if (rc == 0 && cfg->samples.min > cfg->samples.max)
		rc = fb_error_set(err, FB_E_USAGE,
				  "samples.min is above samples.max");
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
