/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of configuration keys; private to harness/config. */
#ifndef FB_OPTIONS_H
#define FB_OPTIONS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct fb_config;
struct fb_error;

enum option_type {
	OPT_STRING, /* char *, may be null */
	OPT_LIST,   /* struct fb_strv */
	OPT_UINT,   /* unsigned */
	OPT_DOUBLE, /* double */
	OPT_BOOL,   /* bool */
	OPT_CHOICE  /* int: index into choices */
};

struct option {
	const char *key; /* "section.key" or "key" */
	enum option_type type;
	size_t offset; /* in the structure that the table describes */
	double min, max;
	const char *const *choices;
	const char *fallback; /* JSON text */
	const char *help;
};

extern const struct option config_options[];  /* of struct fb_config */
extern const struct option disk_options[];    /* of struct fb_disk */
extern const struct option command_options[]; /* of struct fb_user_command */

/* A list of objects in the configuration, each described by its own table. */
struct option_list {
	const char *key; /* "disks" */
	const struct option *options;
	size_t size;  /* of one object */
	size_t items; /* offset of the array's pointer in struct fb_config */
	size_t count; /* offset of its size_t */
	size_t max;
	void (*release)(struct fb_config *cfg);
	/* Says what one object must have, beyond its options. */
	int (*check)(const void *object, struct fb_error *err);
};

extern const struct option_list option_lists[]; /* ended by a NULL key */

const struct option *option_find(const struct option *table, const char *key);

/* Stores one value; the message says what would be right. */
int option_set(const struct option *o, void *base, const cJSON *value,
	       struct fb_error *err);
void option_set_fallbacks(const struct option *table, void *base);
cJSON *option_get(const struct option *o, const void *base);

#endif
