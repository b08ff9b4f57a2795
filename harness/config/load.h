/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firstbad.json: JSON with C and C++ style comments. Every key has a default;
 * an unknown key, a wrong type or a value out of range is an error that names
 * file, line and key. The same table writes the commented default file.
 */
#ifndef FB_LOAD_H
#define FB_LOAD_H

#include <stdbool.h>
#include <stdio.h>

#include "config.h"

struct fb_error;

/* Fills in every default; release with fb_config_release(). */
void fb_config_init(struct fb_config *cfg);

/*
 * Reads `path` over what is set already. A missing file is FB_E_NOTFOUND,
 * anything wrong in it FB_E_USAGE.
 */
int fb_config_load(struct fb_config *cfg, const char *path,
		   struct fb_error *err);

/* The same from text; `origin` stands for the file name in messages. */
int fb_config_parse(struct fb_config *cfg, const char *text, const char *origin,
		    struct fb_error *err);

/* One key ("build.jobs") from the command line; `json` is its value. */
int fb_config_set(struct fb_config *cfg, const char *key, const char *json,
		  const char *origin, struct fb_error *err);

/* Rules across keys: the metric exists, disk names are unique, ... */
int fb_config_check(const struct fb_config *cfg, struct fb_error *err);

/* The whole configuration as JSON text, readable again; caller frees. */
char *fb_config_dump(const struct fb_config *cfg);

/* A commented file with every key and its present value. */
void fb_config_write_commented(const struct fb_config *cfg, FILE *out);

#endif
