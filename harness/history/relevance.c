/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relevance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "identity.h"
#include "repo.h"

#define FORMAT "1" /* of the cache; a new one makes old files useless */
#define CACHE_MAX (1 << 30)
#define HEX GIT_OID_HEXSZ

/* ---- weights */

static const char *const defaults[] = {
	"block/=8",
	"drivers/ata/=6",
	"drivers/base/=0.5",
	"drivers/block/=6",
	"drivers/cdrom/=2",
	"drivers/ide/=6",
	"drivers/md/=4",
	"drivers/mmc/=2",
	"drivers/nvme/=6",
	"drivers/scsi/=6",
	"drivers/usb/storage/=4",
	"drivers/virtio/=3",
	"fs/=3",
	"fs/btrfs/=6",
	"fs/ext=6",
	"fs/jbd=6",
	"fs/xfs/=6",
	"include/linux/ata=6",
	"include/linux/bio=8",
	"include/linux/bl=6",
	"include/linux/elevator.h=8",
	"include/linux/fs.h=3",
	"include/linux/libata.h=6",
	"include/linux/pagemap.h=4",
	"include/scsi/=6",
	"kernel/sched=2",
	"kernel/time=2",
	"lib/iov_iter.c=6",
	"lib/sbitmap.c=6",
	"lib/scatterlist.c=6",
	"mm/=4",
};

static int add_weight(struct fb_weights *w, const char *text,
		      struct fb_error *err)
{
	const char *equals = strrchr(text, '=');
	double value;
	if (!equals || !fb_parse_double(equals + 1, &value) || value <= 0 ||
	    value > 1000)
		return fb_error_set(err, FB_E_USAGE,
				    "\"%s\": a weight is PREFIX=NUMBER, more "
				    "than 0 and at most 1000",
				    text);
	FB_GROW(w->v, w->n, w->cap);
	w->v[w->n++] =
		(struct fb_weight){ fb_strndup(text, (size_t)(equals - text)),
				    value };
	return 0;
}

int fb_weights_init(struct fb_weights *w, const struct fb_strv *more,
		    struct fb_error *err)
{
	int rc = 0;
	*w = (struct fb_weights){ 0 };
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		rc = rc ? rc : add_weight(w, defaults[i], err);
	for (size_t i = 0; more && rc == 0 && i < more->n; i++)
		rc = add_weight(w, more->v[i], err);
	if (rc)
		fb_weights_release(w);
	return rc;
}

void fb_weights_uniform(struct fb_weights *w)
{
	*w = (struct fb_weights){ 0 };
}

void fb_weights_release(struct fb_weights *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i].prefix);
	free(w->v);
	*w = (struct fb_weights){ 0 };
}

double fb_weights_of(const struct fb_weights *w, const char *path)
{
	const struct fb_weight *best = NULL;
	for (size_t i = 0; i < w->n; i++)
		if (fb_starts_with(path, w->v[i].prefix) &&
		    (!best || strlen(w->v[i].prefix) >= strlen(best->prefix)))
			best = &w->v[i];
	return best ? best->weight : 1;
}

/* ---- one commit */

struct look {
	const struct fb_relevance *r;
	bool any_will_do; /* of a merge only: does it differ at all? */
	double weight;
};

#define ENOUGH (-1000) /* ends a diff that has told what it should */

static int look_at(const git_diff *diff, const git_diff_delta *delta,
		   const char *matched, void *data)
{
	struct look *l = data;
	(void)diff;
	(void)matched;
	bool comes_or_goes = delta->status != GIT_DELTA_MODIFIED;
	const char *path = delta->new_file.path ? delta->new_file.path :
						  delta->old_file.path;
	if (!fb_seen_matters(l->r->seen, path, comes_or_goes))
		return 1;
	l->weight = fmax(l->weight, fb_weights_of(l->r->weights, path));
	return l->any_will_do ? ENOUGH : 1;
}

static int differs(struct look *l, git_tree *before, git_tree *after)
{
	git_diff *diff = NULL;
	git_diff_options o;
	git_diff_options_init(&o, GIT_DIFF_OPTIONS_VERSION);
	o.flags = GIT_DIFF_SKIP_BINARY_CHECK | GIT_DIFF_IGNORE_SUBMODULES;
	o.notify_cb = look_at;
	o.payload = l;
	int rc = git_diff_tree_to_tree(&diff, l->r->repo->git, before, after,
				       &o);
	git_diff_free(diff);
	return rc == ENOUGH ? 0 : rc;
}

static int tree_of_parent(git_commit *commit, unsigned k, git_tree **tree)
{
	git_commit *parent;
	int rc = git_commit_parent(&parent, commit, k);
	if (rc == 0) {
		rc = git_commit_tree(tree, parent);
		git_commit_free(parent);
	}
	return rc;
}

/*
 * A merge counts when it differs from each of its parents, and then as much as
 * a path without a weight: what it brings was written by its parents.
 */
static int weigh(const struct fb_relevance *r, git_commit *commit, double *out)
{
	git_tree *tree = NULL, *before = NULL;
	unsigned n = git_commit_parentcount(commit);
	if (r->first_parent && n > 1)
		n = 1;
	struct look l = { .r = r, .any_will_do = n > 1 };
	int rc = git_commit_tree(&tree, commit);
	if (rc == 0 && n == 0)
		rc = differs(&l, NULL, tree);
	for (unsigned k = 0; rc == 0 && k < n; k++) {
		l.weight = 0;
		rc = tree_of_parent(commit, k, &before);
		if (rc == 0)
			rc = differs(&l, before, tree);
		git_tree_free(before);
		if (!(l.weight > 0))
			break;
	}
	git_tree_free(tree);
	*out = n > 1 && l.weight > 0 ? 1 : l.weight;
	return rc;
}

/* ---- what was found before */

struct known {
	git_oid oid;
	double weight;
};

struct cache {
	char *path; /* NULL: none */
	char *text; /* to be appended */
	size_t len;
	FILE *out;
	struct known *v;
	size_t n, cap;
};

static int by_oid(const void *a, const void *b)
{
	return git_oid_cmp(&((const struct known *)a)->oid,
			   &((const struct known *)b)->oid);
}

static char *cache_name(const struct fb_relevance *r)
{
	fb_autofree char *seen = fb_seen_identity(r->seen);
	struct fb_strv parts = { 0 };
	fb_strv_add(&parts, FORMAT);
	fb_strv_add(&parts, seen);
	fb_strv_add(&parts, r->first_parent ? "first-parent" : "");
	for (size_t i = 0; i < r->weights->n; i++)
		fb_strv_addf(&parts, "%s=%g", r->weights->v[i].prefix,
			     r->weights->v[i].weight);
	fb_autofree char *id = fb_identity(fb_strv_args(&parts), parts.n);
	fb_strv_release(&parts);
	return fb_strf("%s/%.24s", r->cache, id);
}

/* "OID WEIGHT", and nothing else: a torn line is no line. */
static bool read_line(const char *line, struct known *k)
{
	return strlen(line) > HEX + 1 && line[HEX] == ' ' &&
	       git_oid_fromstrn(&k->oid, line, HEX) == 0 &&
	       fb_parse_double(line + HEX + 1, &k->weight) && k->weight >= 0;
}

static int open_cache(struct cache *c, const struct fb_relevance *r,
		      struct fb_error *err)
{
	c->out = open_memstream(&c->text, &c->len);
	if (!c->out)
		abort();
	if (!r->cache)
		return 0;
	int rc = fb_mkdir_p(r->cache, err);
	if (rc)
		return rc;
	c->path = cache_name(r);
	fb_autofree char *text = NULL;
	if (fb_exists(c->path))
		rc = fb_file_read(c->path, CACHE_MAX, &text, NULL, err);
	char *rest = text, *line;
	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		FB_GROW(c->v, c->n, c->cap);
		c->n += read_line(line, &c->v[c->n]);
	}
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_oid);
	/* Whatever a crash cut off ends here. */
	fputc('\n', c->out);
	return rc;
}

static bool recall(const struct cache *c, const git_oid *oid, double *weight)
{
	struct known key = { .oid = *oid };
	const struct known *k =
		c->n ? bsearch(&key, c->v, c->n, sizeof(key), by_oid) : NULL;
	if (k)
		*weight = k->weight;
	return k != NULL;
}

static int close_cache(struct cache *c, bool keep, struct fb_error *err)
{
	fclose(c->out);
	int rc = keep && c->path && c->len > 1 ?
			 fb_file_append(c->path, c->text, err) :
			 0;
	free(c->path);
	free(c->text);
	free(c->v);
	return rc;
}

/* ---- all of them */

static int find_one(const struct fb_relevance *r, const git_oid *oid,
		    struct cache *c, double *weight, uint32_t *diffed)
{
	git_commit *commit;
	if (recall(c, oid, weight))
		return 0;
	int rc = git_commit_lookup(&commit, r->repo->git, oid);
	if (rc == 0) {
		rc = weigh(r, commit, weight);
		git_commit_free(commit);
	}
	fprintf(c->out, "%s %g\n", git_oid_tostr_s(oid), *weight);
	++*diffed;
	return rc;
}

int fb_relevance_find(const struct fb_relevance *r, const struct fb_graph *g,
		      double *weight, struct fb_relevance_counts *counts,
		      struct fb_error *err)
{
	struct cache c = { 0 };
	*counts = (struct fb_relevance_counts){ 0 };
	int rc = open_cache(&c, r, err);
	for (uint32_t x = 0; rc == 0 && x < g->dag.n; x++) {
		weight[x] = 0;
		if (g->weight && !(g->weight[x] > 0))
			continue;
		if (find_one(r, &g->oid[x], &c, &weight[x], &counts->diffed))
			rc = fb_git_error(err, FB_E_MACHINE, "cannot read %s",
					  git_oid_tostr_s(&g->oid[x]));
		counts->relevant += weight[x] > 0;
	}
	int closed = close_cache(&c, rc == 0, err);
	return rc ? rc : closed;
}
