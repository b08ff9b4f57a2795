/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "seen.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "identity.h"

#define LIST_MAX (64 << 20)

static int by_path(const void *a, const void *b)
{
	const struct fb_seen_file *x = a, *y = b;
	return strcmp(x->path, y->path);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const struct fb_seen_file *find(const struct fb_seen *s,
				       const char *path)
{
	struct fb_seen_file key = { .path = (char *)path };
	return s->n ? bsearch(&key, s->file, s->n, sizeof(key), by_path) : NULL;
}

/* Sorted, every path once. */
static void tidy(struct fb_seen *s)
{
	size_t n = 0;
	qsort(s->file, s->n, sizeof(*s->file), by_path);
	for (size_t i = 0; i < s->n; i++) {
		struct fb_seen_file *f = &s->file[i];
		struct fb_seen_file *kept = n ? &s->file[n - 1] : NULL;
		if (kept && fb_streq(kept->path, f->path)) {
			if (f->objects > kept->objects)
				kept->objects = f->objects;
			free(f->path);
		} else {
			s->file[n++] = *f;
		}
	}
	s->n = n;
	fb_strv_release(&s->headers);
	for (size_t i = 0; i < s->n; i++)
		if (fb_ends_with(s->file[i].path, ".h"))
			fb_strv_add(&s->headers, last_part(s->file[i].path));
	if (s->headers.n)
		qsort(s->headers.v, s->headers.n, sizeof(*s->headers.v),
		      by_name);
}

int fb_seen_add(struct fb_seen *s, const char *list, bool *grew,
		struct fb_error *err)
{
	fb_autofree char *text = NULL;
	size_t before = s->n;
	int rc = fb_file_read(list, LIST_MAX, &text, NULL, err);
	if (rc)
		return rc;
	char *rest = text, *line;
	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		long objects;
		char *space = strchr(line, ' ');
		if (!*line)
			continue;
		if (space)
			*space = '\0';
		if (!space || !space[1] ||
		    !fb_parse_long(line, 0, INT32_MAX, &objects)) {
			rc = fb_error_set(err, FB_E_MACHINE, "%s is damaged",
					  list);
			continue;
		}
		FB_GROW(s->file, s->n, s->cap);
		s->file[s->n++] = (struct fb_seen_file){ fb_strdup(space + 1),
							 (unsigned)objects };
	}
	tidy(s);
	*grew = s->n > before;
	return rc;
}

void fb_seen_release(struct fb_seen *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->file[i].path);
	free(s->file);
	fb_strv_release(&s->headers);
	*s = (struct fb_seen){ 0 };
}

char *fb_seen_identity(const struct fb_seen *s)
{
	struct fb_hash *h = fb_hash_new();
	for (size_t i = 0; i < s->n; i++)
		fb_hash_add(h, s->file[i].path, strlen(s->file[i].path) + 1);
	return fb_hash_end(h);
}

unsigned fb_seen_objects(const struct fb_seen *s, const char *path)
{
	const struct fb_seen_file *f = find(s, path);
	return f ? f->objects : 0;
}

/* Was a file below this directory ("mm/") read, or did make go into it? */
static bool visible(const struct fb_seen *s, const char *dir)
{
	size_t low = 0, high = s->n, len = strlen(dir);
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (strcmp(s->file[mid].path, dir) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n && strncmp(s->file[low].path, dir, len) == 0;
}

static bool is_one_of(const char *path, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (fb_starts_with(path, *prefixes))
			return true;
	return false;
}

/* What no build of a kernel image runs or reads. */
static const char *const idle_scripts[] = {
	"scripts/checkpatch",
	"scripts/checkstack",
	"scripts/coccicheck",
	"scripts/coccinelle/",
	"scripts/const_structs",
	"scripts/decode_stacktrace",
	"scripts/decodecode",
	"scripts/faddr2line",
	"scripts/gdb/",
	"scripts/get_maintainer",
	"scripts/kernel-doc",
	"scripts/package/",
	"scripts/spelling.txt",
	"scripts/sphinx-pre-install",
	"scripts/tags.sh",
	"scripts/ver_linux",
	NULL,
};

/* Parts of make itself: what they include is not written down anywhere. */
static const char *const tools[] = { "scripts/", "tools/build/",
				     "tools/scripts/", NULL };

static bool is_makefile(const char *name)
{
	return fb_starts_with(name, "Makefile") ||
	       fb_starts_with(name, "Kbuild") || fb_ends_with(name, ".mk");
}

static bool header_may_hide_another(const struct fb_seen *s, const char *path,
				    const char *name, const char *dir)
{
	if (!fb_ends_with(name, ".h") || !s->headers.n ||
	    !bsearch(&name, s->headers.v, s->headers.n, sizeof(name), by_name))
		return false;
	const char *include = strstr(path, "/include/");
	if (fb_starts_with(path, "include/"))
		return true;
	fb_autofree char *root =
		include ? fb_strndup(path, (size_t)(include - path) + 9) : NULL;
	return visible(s, root ? root : dir);
}

bool fb_seen_matters(const struct fb_seen *s, const char *path,
		     bool comes_or_goes)
{
	const char *name = last_part(path);
	fb_autofree char *dir = fb_strndup(path, (size_t)(name - path));
	if (find(s, path))
		return true;
	if (is_one_of(path, tools))
		return !is_one_of(path, idle_scripts);
	if (is_makefile(name))
		return !*dir || visible(s, dir);
	if (!*dir && fb_starts_with(name, "localversion"))
		return true;
	return comes_or_goes && header_may_hide_another(s, path, name, dir);
}
