/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work tree + Kconfig fragments -> kernel image. Objects are kept in one
 * directory per configuration, images in the cache by what they were made
 * from (tree, fragments, make arguments, compiler), so that nothing is built
 * twice. Timestamps, user, host and version are pinned.
 */
#ifndef FB_BUILDER_H
#define FB_BUILDER_H

#include "runner.h"

struct fb_builder;

/* Reads the fragments of cfg->build.kconfig; fails when one is unknown. */
int fb_builder_new(struct fb_builder **out, const struct fb_config *cfg,
		   const char *cache, struct fb_error *err);
void fb_builder_free(struct fb_builder *b);

int fb_builder_build(struct fb_builder *b, const struct fb_source *src,
		     struct fb_build *out, struct fb_error *err);

/* Fragments that come with firstbad: names[i] has the text texts[i]. */
struct fb_kconfig_fragment {
	const char *name, *text;
};
extern const struct fb_kconfig_fragment fb_kconfig_fragments[]; /* NULL ends */

/*
 * The first line of a build log that says what went wrong (compiler, linker or
 * make); NULL when none does. Exposed for tests. Caller frees.
 */
char *fb_build_first_error(const char *log);

/* Did the machine fail rather than the source (disk full, killed compiler)? */
bool fb_build_machine_failed(const char *log);

/*
 * Options that `fragment` asks for and `config` does not have, as "CONFIG_A=y
 * CONFIG_B=n", or NULL. Caller frees.
 */
char *fb_kconfig_lost(const char *fragment, const char *config);

#endif
