/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "clock.h"
#include "errors.h"
#include "file.h"
#include "identity.h"
#include "inputs.h"
#include "process.h"
#include "signature.h"
#include "text.h"

#define FRAGMENT_MAX (1 << 20)
#define CONFIG_MAX (8 << 20)
#define LOG_MAX (256 << 20)
#define BUILD_SPACE (1ULL << 30)

struct fb_builder {
	const struct fb_config *cfg;
	char *cache;
	char *fragments; /* all texts, concatenated */
	char *toolchain;
	bool ccache;
	char *id;      /* of fragments, arguments and toolchain */
	char *objects; /* O= directory of the work tree in use, or NULL */
	char *release; /* KERNELRELEASE=..., or NULL; see pin_release() */
};

static const char *embedded(const char *name)
{
	for (const struct fb_kconfig_fragment *f = fb_kconfig_fragments;
	     f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f->text;
	return NULL;
}

static int add_fragment(struct fb_builder *b, const char *name,
			struct fb_error *err)
{
	fb_autofree char *file = NULL;
	const char *text = embedded(name);
	if (!text) {
		if (fb_file_read(name, FRAGMENT_MAX, &file, NULL, err))
			return fb_error_wrap(err,
					     "\"build.kconfig\": no fragment "
					     "of ours and no readable file is "
					     "called \"%s\"",
					     name);
		text = file;
	}
	char *all = fb_strf("%s# %s\n%s\n", b->fragments, name, text);
	free(b->fragments);
	b->fragments = all;
	return 0;
}

static const char *make_variable(const struct fb_config *cfg, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < cfg->build.make.n; i++) {
		const char *arg = cfg->build.make.v[i];
		if (strncmp(arg, name, n) == 0 && arg[n] == '=')
			return arg + n + 1;
	}
	return NULL;
}

static void first_line(void *data, char *line, size_t len, bool cut)
{
	char **out = data;
	(void)len;
	(void)cut;
	if (!*out)
		*out = fb_strdup(line);
}

static int read_toolchain(struct fb_builder *b, struct fb_error *err)
{
	const char *cc = make_variable(b->cfg, "CC");
	if (!cc)
		cc = make_variable(b->cfg, "LLVM") ? "clang" : "gcc";
	fb_autofree char *last_word = fb_strdup(cc);
	char *space = strrchr(last_word, ' ');
	const char *argv[] = { space ? space + 1 : last_word, "--version",
			       NULL };
	struct fb_process p = { .argv = argv,
				.line = first_line,
				.data = &b->toolchain };
	if (fb_process_check(&p, err))
		return fb_error_wrap(err, "compiler");
	if (!b->toolchain)
		b->toolchain = fb_strdup("unknown");
	return 0;
}

static int need_programs(struct fb_error *err)
{
	static const char *const names[] = { "make", "flex", "bison", "bc" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		fb_autofree char *path = fb_find_program(names[i]);
		if (!path)
			return fb_error_set(err, FB_E_MACHINE,
					    "%s is not installed; kernels "
					    "cannot be built without it",
					    names[i]);
	}
	return 0;
}

int fb_builder_new(struct fb_builder **out, const struct fb_config *cfg,
		   const char *cache, struct fb_error *err)
{
	struct fb_builder *b = fb_calloc(1, sizeof(*b));
	b->cfg = cfg;
	b->cache = fb_strdup(cache);
	b->fragments = fb_strdup("");
	int rc = need_programs(err);
	struct fb_strv names = { 0 };
	fb_config_fragments(cfg, &names);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		rc = add_fragment(b, names.v[i], err);
	fb_strv_release(&names);
	if (rc == 0)
		rc = read_toolchain(b, err);
	if (rc == 0) {
		fb_autofree char *ccache = fb_find_program("ccache");
		b->ccache = ccache && !make_variable(cfg, "CC") &&
			    !make_variable(cfg, "LLVM");
		fb_autofree char *what =
			fb_strf("%s\n%s", b->toolchain, b->fragments);
		struct fb_strv parts = { 0 };
		fb_strv_add(&parts, what);
		for (size_t i = 0; i < cfg->build.make.n; i++)
			fb_strv_add(&parts, cfg->build.make.v[i]);
		b->id = fb_identity(fb_strv_args(&parts), parts.n);
		fb_strv_release(&parts);
	}
	if (rc)
		fb_builder_free(b);
	else
		*out = b;
	return rc;
}

void fb_builder_free(struct fb_builder *b)
{
	if (!b)
		return;
	free(b->cache);
	free(b->fragments);
	free(b->toolchain);
	free(b->id);
	free(b->objects);
	free(b->release);
	free(b);
}

static long jobs(const struct fb_builder *b)
{
	long n = b->cfg->build.jobs ? (long)b->cfg->build.jobs :
				      sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? n : 1;
}

/*
 * Pinned, so that equal sources give equal kernels; a name alone is removed,
 * so that what the user's shell sets does not change them.
 */
static const char *const make_environment[] = {
	"KBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 1970",
	"KBUILD_BUILD_USER=firstbad",
	"KBUILD_BUILD_HOST=firstbad",
	"KBUILD_BUILD_VERSION=1",
	"KCONFIG_NOTIMESTAMP=1",
	"LOCALVERSION=",
	"LC_ALL=C",
	"CCACHE_NOHASHDIR=1",
	"CCACHE_DEPEND=1", /* no separate preprocessing */
	"MAKEFLAGS",
	"ARCH",
	"CROSS_COMPILE",
	"CC",
	"LLVM",
	"LLVM_IAS",
	"KCFLAGS",
	"KCPPFLAGS",
	"KAFLAGS",
	"KBUILD_OUTPUT",
	"KBUILD_EXTMOD",
	"KCONFIG_CONFIG",
	"KCONFIG_ALLCONFIG",
	NULL,
};

static int make(struct fb_builder *b, const struct fb_source *src,
		const char *target, const char *log,
		struct fb_process_result *result, struct fb_error *err)
{
	struct fb_strv argv = { 0 };
	fb_strv_add(&argv, "make");
	fb_strv_add(&argv, "-C");
	fb_strv_add(&argv, src->worktree);
	fb_strv_addf(&argv, "O=%s", b->objects);
	fb_strv_addf(&argv, "-j%ld", jobs(b));
	if (b->ccache)
		fb_strv_add(&argv, "CC=ccache gcc");
	if (b->release)
		fb_strv_add(&argv, b->release);
	for (size_t i = 0; i < b->cfg->build.make.n; i++)
		fb_strv_add(&argv, b->cfg->build.make.v[i]);
	fb_strv_add(&argv, target);
	struct fb_process p = { .argv = fb_strv_args(&argv),
				.env = make_environment,
				.log_path = log,
				.timeout = b->cfg->build.timeout };
	int rc = fb_process_run(&p, result, err);
	fb_strv_release(&argv);
	return rc;
}

/* The number in a line "NAME = 6" of the top Makefile, or -1. */
static int version_part(const char *makefile, const char *name)
{
	fb_autofree char *start = fb_strf("\n%s = ", name);
	const char *at = strstr(makefile, start);
	return at ? atoi(at + strlen(start)) : -1;
}

/*
 * "6.1.0-firstbad" for 6.1-rc2 and for 6.1.170: a commit that does nothing but
 * count the version up makes no other kernel. 2.6.20 stays what it is, since C
 * libraries look at it.
 */
static int pin_release(struct fb_builder *b, const struct fb_source *src,
		       struct fb_error *err)
{
	fb_autofree char *path = fb_strf("%s/Makefile", src->worktree);
	fb_autofree char *text = NULL;
	free(steal_ptr(b->release));
	if (!fb_exists(path))
		return 0;
	int rc = fb_file_read(path, FRAGMENT_MAX, &text, NULL, err);
	if (rc)
		return rc;
	int version = version_part(text, "VERSION");
	int level = version_part(text, "PATCHLEVEL");
	int sub = version > 2 ? 0 : version_part(text, "SUBLEVEL");
	if (version >= 0 && level >= 0 && sub >= 0)
		b->release = fb_strf("KERNELRELEASE=%d.%d.%d-firstbad", version,
				     level, sub);
	return 0;
}

/* Puts the fragments on top of what tinyconfig wrote. */
static int apply_fragments(struct fb_builder *b, struct fb_error *err)
{
	fb_autofree char *path = fb_strf("%s/.config", b->objects);
	return fb_file_append(path, b->fragments, err);
}

/* "block/bio.c:12: error" instead of the same below our work tree. */
static char *without_prefix(const char *line, const char *worktree)
{
	size_t n = strlen(worktree);
	bool below = strncmp(line, worktree, n) == 0 && line[n] == '/';
	return fb_strdup(below ? line + n + 1 : line);
}

static int fail(struct fb_build *out, const struct fb_source *src,
		const struct fb_process_result *r, struct fb_error *err)
{
	fb_autofree char *text = NULL;
	out->outcome = FB_OUTCOME_BUILD_FAILED;
	if (r->timed_out) {
		out->error = fb_strdup("the build took too long");
		return 0;
	}
	if (fb_file_read(out->log, LOG_MAX, &text, NULL, err)) {
		fb_error_release(err);
		text = fb_strdup("");
	}
	char *line = fb_build_first_error(text);
	if (r->signal || fb_build_machine_failed(text)) {
		fb_error_set(err, FB_E_MACHINE, "the build was cut short: %s",
			     line ? line : "see its log");
		free(line);
		return err->code;
	}
	out->error = line ? without_prefix(line, src->worktree) :
			    fb_strdup("make failed without a message");
	free(line);
	return 0;
}

/* tinyconfig + fragments + olddefconfig, every time from the same start. */
static int configure(struct fb_builder *b, const struct fb_source *src,
		     struct fb_build *out, struct fb_error *err)
{
	struct fb_process_result r;
	int rc = make(b, src, "tinyconfig", out->log, &r, err);
	if (rc == 0 && !fb_process_succeeded(&r))
		return fail(out, src, &r, err);
	if (rc == 0)
		rc = apply_fragments(b, err);
	if (rc == 0)
		rc = make(b, src, "olddefconfig", out->log, &r, err);
	if (rc == 0 && !fb_process_succeeded(&r))
		return fail(out, src, &r, err);
	return rc;
}

static int examine_config(struct fb_builder *b, struct fb_build *out, bool *pvh,
			  struct fb_error *err)
{
	fb_autofree char *path = fb_strf("%s/.config", b->objects);
	fb_autofree char *text = NULL;
	size_t len;
	int rc = fb_file_read(path, CONFIG_MAX, &text, &len, err);
	if (rc)
		return rc;
	*pvh = strstr(text, "\nCONFIG_PVH=y\n") != NULL;
	out->lost = fb_kconfig_lost(b->fragments, text);
	const char *parts[] = { text };
	out->config_hash = fb_identity(parts, 1);
	return 0;
}

/* The first word of a file, or NULL. */
static char *read_word(const char *dir, const char *name)
{
	struct fb_error ignored = FB_ERROR_INIT;
	fb_autofree char *path = fb_strf("%s/%s", dir, name);
	fb_autofree char *text = NULL;
	if (fb_file_read(path, 256, &text, NULL, &ignored))
		fb_error_release(&ignored);
	return text ? fb_strdup(fb_strip(text)) : NULL;
}

/* A complete image has a record beside it, which is written last. */
static bool find_cached(const char *dir, struct fb_build *out)
{
	fb_autofree char *image = fb_strf("%s/kernel", dir);
	fb_autofree char *inputs = fb_strf("%s/inputs", dir);
	out->config_hash = read_word(dir, "config-hash");
	out->signature = read_word(dir, "signature");
	if (!out->config_hash || !out->signature || !fb_exists(image) ||
	    !fb_exists(inputs)) {
		free(steal_ptr(out->config_hash));
		free(steal_ptr(out->signature));
		return false;
	}
	out->image = steal_ptr(image);
	out->inputs = steal_ptr(inputs);
	out->cached = true;
	return true;
}

static int keep_image(struct fb_builder *b, const struct fb_source *src,
		      const char *dir, bool pvh, struct fb_build *out,
		      struct fb_error *err)
{
	fb_autofree char *from = fb_strf(
		"%s/%s", b->objects, pvh ? "vmlinux" : "arch/x86/boot/bzImage");
	fb_autofree char *config = fb_strf("%s/.config", b->objects);
	fb_autofree char *kept_config = fb_strf("%s/config", dir);
	fb_autofree char *record = fb_strf("%s/config-hash", dir);
	fb_autofree char *signature = fb_strf("%s/signature", dir);
	fb_autofree char *inputs = fb_strf("%s/inputs", dir);
	fb_autofree char *vmlinux = fb_strf("%s/vmlinux", b->objects);
	fb_autofree char *to = fb_strf("%s/kernel", dir);
	int rc = fb_mkdir_p(dir, err);
	if (rc == 0)
		rc = fb_kernel_signature(vmlinux, &out->signature, err);
	if (rc == 0)
		rc = fb_file_write(signature, out->signature,
				   strlen(out->signature), err);
	if (rc == 0)
		rc = fb_inputs_write(b->objects, src->worktree, inputs, err);
	if (rc == 0)
		rc = fb_file_copy(from, to, err);
	if (rc == 0)
		rc = fb_file_copy(config, kept_config, err);
	if (rc == 0)
		rc = fb_file_write(record, out->config_hash,
				   strlen(out->config_hash), err);
	if (rc == 0) {
		out->image = steal_ptr(to);
		out->inputs = steal_ptr(inputs);
	}
	return rc;
}

/*
 * Objects belong to a work tree, whose lock the caller holds: two of them never
 * share one directory.
 */
static int choose_objects(struct fb_builder *b, const struct fb_source *src,
			  struct fb_error *err)
{
	const char *parts[] = { b->id, src->worktree };
	fb_autofree char *id = fb_identity(parts, 2);
	free(b->objects);
	b->objects = fb_strf("%s/objects/%.12s", b->cache, id);
	return fb_mkdir_p(b->objects, err);
}

static int build(struct fb_builder *b, const struct fb_source *src,
		 const char *dir, struct fb_build *out, struct fb_error *err)
{
	struct fb_process_result r;
	bool pvh = false;
	int rc = choose_objects(b, src, err);
	if (rc == 0)
		rc = fb_need_space(b->objects, BUILD_SPACE, err);
	if (rc == 0)
		rc = src->checkout(src->data, err);
	double t0 = fb_now();
	if (rc == 0)
		rc = pin_release(b, src, err);
	if (rc == 0)
		rc = configure(b, src, out, err);
	if (rc == 0 && out->outcome == FB_OUTCOME_MEASURED)
		rc = examine_config(b, out, &pvh, err);
	if (rc == 0 && out->outcome == FB_OUTCOME_MEASURED)
		rc = make(b, src, pvh ? "vmlinux" : "bzImage", out->log, &r,
			  err);
	out->seconds = fb_now() - t0;
	if (rc || out->outcome != FB_OUTCOME_MEASURED)
		return rc;
	if (!fb_process_succeeded(&r))
		return fail(out, src, &r, err);
	return keep_image(b, src, dir, pvh, out, err);
}

int fb_builder_build(struct fb_builder *b, const struct fb_source *src,
		     struct fb_build *out, struct fb_error *err)
{
	*out = (struct fb_build){ .outcome = FB_OUTCOME_MEASURED };
	const char *parts[] = { b->id, src->tree };
	out->identity = fb_identity(parts, 2);
	out->toolchain = fb_strdup(b->toolchain);
	snprintf(out->tree, sizeof(out->tree), "%s", src->tree);
	fb_autofree char *dir =
		fb_strf("%s/images/%s", b->cache, out->identity);
	if (find_cached(dir, out))
		return 0;
	out->log = fb_strf("%s/build.log", src->dir);
	unlink(out->log);
	int rc = build(b, src, dir, out, err);
	if (rc)
		fb_build_release(out);
	return rc;
}
