/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "axis.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "load.h"
#include "profile.h"

static int add_words(struct fb_strv *list, const char *value)
{
	fb_autofree char *copy = fb_strdup(value);
	char *rest = copy, *word;
	while ((word = strsep(&rest, ",")))
		if (*word)
			fb_strv_add(list, word);
	return 0;
}

static void append(char **to, const char *value)
{
	char *all = fb_strf("%s%s%s", *to, **to ? " " : "", value);
	free(*to);
	*to = all;
}

/* A number stays one, anything else is a string. */
static char *as_json(const char *value)
{
	double number;
	bool literal = fb_parse_double(value, &number) ||
		       fb_streq(value, "true") || fb_streq(value, "false");
	cJSON *o = literal ? cJSON_CreateRaw(value) : cJSON_CreateString(value);
	char *text = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	return text;
}

static int set_machine(struct fb_config *cfg, const char *value,
		       struct fb_error *err)
{
	size_t n = strcspn(value, "=");
	if (!value[n])
		return fb_error_set(err, FB_E_USAGE,
				    "--axis machine wants KEY=VALUE, not "
				    "\"%s\"",
				    value);
	fb_autofree char *key = fb_strf("machine.%.*s", (int)n, value);
	fb_autofree char *json = as_json(value + n + 1);
	return fb_config_set(cfg, key, json, "--axis machine", err);
}

static bool is_one_of(const char *value, const char *const *names)
{
	for (; *names; names++)
		if (fb_streq(value, *names))
			return true;
	return false;
}

/*
 * All disks at once, through the configuration's own form, so that its table
 * of keys judges what is possible.
 */
static int set_disks(struct fb_config *cfg, const char *value,
		     struct fb_error *err)
{
	size_t n = strcspn(value, "=");
	bool pair = value[n] != '\0';
	fb_autofree char *key = pair ? fb_strndup(value, n) :
				is_one_of(value, fb_profile_names) ?
				       fb_strdup("profile") :
				is_one_of(value, fb_filesystem_names) ?
				       fb_strdup("filesystem") :
				       fb_strdup("bus");
	fb_autofree char *json = as_json(pair ? value + n + 1 : value);
	fb_autofree char *text = fb_config_dump(cfg);
	cJSON *root = cJSON_Parse(text), *disk;
	cJSON_ArrayForEach(disk, cJSON_GetObjectItem(root, "disks")) {
		cJSON_DeleteItemFromObject(disk, key);
		cJSON_AddItemToObject(disk, key, cJSON_CreateRaw(json));
	}
	fb_autofree char *changed = cJSON_PrintUnformatted(root);
	cJSON_Delete(root);
	return fb_config_parse(cfg, changed, "--axis disk", err);
}

int fb_axis_apply(struct fb_config *cfg, enum fb_axis axis, const char *value,
		  struct fb_error *err)
{
	if (!*value)
		return 0;
	switch (axis) {
	case FB_AXIS_KCONFIG:
		return add_words(&cfg->build.kconfig, value);
	case FB_AXIS_CMDLINE:
		append(&cfg->machine.cmdline, value);
		return 0;
	case FB_AXIS_USERSPACE:
		fb_strv_add(&cfg->overlay, value);
		return 0;
	case FB_AXIS_DISK:
		return set_disks(cfg, value, err);
	case FB_AXIS_MACHINE:
		return set_machine(cfg, value, err);
	case FB_AXIS_KNOB:
		return add_words(&cfg->knobs, value);
	default:
		return 0;
	}
}
