/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inputs.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "text.h"

#define CMD_MAX (16 << 20)
#define BETWEEN " \t\r\n\"'`;,()=<>|&"

struct input {
	char *path;
	unsigned objects;
	unsigned last; /* .cmd file that counted it */
};

/* A word of a .cmd file; most of them come again and again. */
struct word {
	char *text;
	struct input *input; /* NULL: none */
};

struct reading {
	const char *objects;
	char *tree, *real_tree; /* both with a slash at the end */
	void *inputs, *words;	/* trees of tsearch(3) */
	unsigned nth;		/* of the .cmd file, from 1 */
};

static int by_path(const void *a, const void *b)
{
	const struct input *x = a, *y = b;
	return strcmp(x->path, y->path);
}

static int by_text(const void *a, const void *b)
{
	const struct word *x = a, *y = b;
	return strcmp(x->text, y->text);
}

static struct input *find_input(struct reading *r, const char *path)
{
	struct input *i = fb_calloc(1, sizeof(*i));
	i->path = fb_strdup(path);
	struct input **found = tsearch(i, &r->inputs, by_path);
	if (!found)
		abort();
	if (*found != i) {
		free(i->path);
		free(i);
	}
	return *found;
}

static const char *below(const char *path, const char *dir)
{
	const char *at = strstr(path, dir);
	return at && at[strlen(dir)] ? at + strlen(dir) : NULL;
}

static bool is_source(const char *name)
{
	return fb_ends_with(name, ".h") || fb_ends_with(name, ".c") ||
	       fb_ends_with(name, ".S");
}

/*
 * In the object directory: generated, unless it is reached through a link
 * into the sources, as include/asm was until 2.6.
 */
static struct input *inside(struct reading *r, const char *text)
{
	char real[PATH_MAX];
	if (!strchr(text, '/') || !is_source(text) || text[0] == '$')
		return NULL;
	fb_autofree char *path = *text == '/' ?
					 fb_strdup(text) :
					 fb_strf("%s/%s", r->objects, text);
	if (!realpath(path, real))
		return NULL;
	const char *source = below(real, r->real_tree);
	if (source)
		return find_input(r, source);
	while (fb_starts_with(text, "./"))
		text += 2;
	return *text == '/' ? NULL : find_input(r, text);
}

static struct input *meaning(struct reading *r, const char *text)
{
	const char *source = below(text, r->tree);
	if (!source)
		source = below(text, r->real_tree);
	return *text == '-' ? NULL :
	       source	    ? find_input(r, source) :
			      inside(r, text);
}

static void read_word(struct reading *r, const char *text)
{
	struct word probe = { .text = (char *)text };
	struct word **known = tfind(&probe, &r->words, by_text), *w;
	if (known) {
		w = *known;
	} else {
		w = fb_calloc(1, sizeof(*w));
		w->text = fb_strdup(text);
		w->input = meaning(r, text);
		if (!tsearch(w, &r->words, by_text))
			abort();
	}
	if (w->input && w->input->last != r->nth) {
		w->input->last = r->nth;
		w->input->objects++;
	}
}

static int read_cmd(struct reading *r, const char *path, struct fb_error *err)
{
	fb_autofree char *text = NULL;
	int rc = fb_file_read(path, CMD_MAX, &text, NULL, err);
	if (rc)
		return rc;
	r->nth++;
	char *rest = text, *word;
	while ((word = strsep(&rest, BETWEEN)))
		if (*word && *word != '\\' && *word != '$')
			read_word(r, word);
	return 0;
}

/* Names are relative to the top of the sources. */
static int read_kconfig(struct reading *r, struct fb_error *err)
{
	fb_autofree char *path =
		fb_strf("%s/include/config/auto.conf.cmd", r->objects);
	fb_autofree char *text = NULL;
	if (!fb_exists(path))
		return 0;
	int rc = fb_file_read(path, CMD_MAX, &text, NULL, err);
	char *rest = text, *word;
	while (rc == 0 && (word = strsep(&rest, BETWEEN))) {
		const char *source = below(word, r->tree);
		const char *name = source ? source : word;
		const char *base = strrchr(name, '/');
		if (*name != '/' &&
		    fb_starts_with(base ? base + 1 : name, "Kconfig"))
			find_input(r, name);
	}
	return rc;
}

static int read_entry(struct reading *r, const FTSENT *e, struct fb_error *err)
{
	size_t top = strlen(r->objects);
	if (e->fts_info == FTS_D && e->fts_pathlen > top + 1) {
		fb_autofree char *dir = fb_strf("%s/", e->fts_path + top + 1);
		find_input(r, dir);
		return 0;
	}
	if (e->fts_info == FTS_F && e->fts_name[0] == '.' &&
	    fb_ends_with(e->fts_name, ".cmd"))
		return read_cmd(r, e->fts_path, err);
	return 0;
}

static int read_all(struct reading *r, struct fb_error *err)
{
	char *paths[] = { (char *)r->objects, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int rc = 0;
	if (!fts)
		return fb_error_errno(err, FB_E_MACHINE, "cannot read %s",
				      r->objects);
	for (FTSENT *e; rc == 0 && (e = fts_read(fts));)
		rc = read_entry(r, e, err);
	fts_close(fts);
	return rc ? rc : read_kconfig(r, err);
}

static void print(const void *node, VISIT which, void *data)
{
	const struct input *i = *(struct input *const *)node;
	if (which == postorder || which == leaf)
		fprintf(data, "%u %s\n", i->objects, i->path);
}

static void free_input(void *p)
{
	struct input *i = p;
	free(i->path);
	free(i);
}

static void free_word(void *p)
{
	struct word *w = p;
	free(w->text);
	free(w);
}

int fb_inputs_write(const char *objects, const char *worktree, const char *to,
		    struct fb_error *err)
{
	char real[PATH_MAX];
	if (!realpath(worktree, real))
		return fb_error_errno(err, FB_E_MACHINE, "cannot read %s",
				      worktree);
	struct reading r = { .objects = objects,
			     .tree = fb_strf("%s/", worktree),
			     .real_tree = fb_strf("%s/", real) };
	int rc = read_all(&r, err);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	if (!f)
		abort();
	twalk_r(r.inputs, print, f);
	fclose(f);
	if (rc == 0)
		rc = fb_file_write(to, text, len, err);
	tdestroy(r.words, free_word);
	tdestroy(r.inputs, free_input);
	free(text);
	free(r.tree);
	free(r.real_tree);
	return rc;
}
