/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "file.h"
#include "relevance.h"
#include "repo.h"
#include "text.h"
#include "unit.h"

/* What a small build read; the numbers are of objects. */
static const char inputs[] = "0 Kconfig\n"
			     "0 arch/x86/\n"
			     "1 arch/x86/include/asm/io.h\n"
			     "1 block/blk-merge.c\n"
			     "0 block/\n"
			     "0 drivers/ata/\n"
			     "40 include/linux/bio.h\n"
			     "1 mm/slab.c\n"
			     "0 mm/\n"
			     "7 mm/internal.h\n";

static char dir[64];

static int set_up(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	strcpy(dir, "/tmp/fb-relevance-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	fb_autofree char *list = fb_strf("%s/inputs", dir);
	return fb_file_write(list, inputs, strlen(inputs), &err);
}

static int tear_down(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	return fb_rm_rf(dir, &err);
}

static void read_inputs(struct fb_seen *s)
{
	struct fb_error err = FB_ERROR_INIT;
	bool grew;
	fb_autofree char *list = fb_strf("%s/inputs", dir);
	assert_ok(fb_seen_add(s, list, &grew, &err), err);
}

/* By what Kbuild would do again, or read, after such a change. */
static void which_paths_matter(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		bool changed, added;
	} rows[] = {
		{ "mm/slab.c", true, true },
		{ "mm/slub.c", false, false }, /* until a Makefile names it */
		{ "include/linux/bio.h", true, true },
		{ "fs/xfs/xfs.h", false, false },
		{ "Makefile", true, true },
		{ "Kbuild", true, true },
		{ "mm/Makefile", true, true },
		{ "drivers/ata/Makefile", true, true },
		{ "drivers/net/Makefile", false, false },
		{ "Kconfig", true, true },
		{ "mm/Kconfig", false, false }, /* nobody sources it */
		{ "scripts/Makefile.build", true, true },
		{ "scripts/mod/modpost.c", true, true },
		{ "scripts/checkpatch.pl", false, false },
		{ "tools/build/Makefile", true, true },
		{ "tools/perf/Makefile", false, false },
		{ "localversion-rc", true, true },
		{ "mm/localversion", false, false },
		{ "Documentation/block/bio.h", false, false },
		/* May stand before the one that was read, or bare the next. */
		{ "include/asm-generic/io.h", false, true },
		{ "arch/x86/include/uapi/asm/io.h", false, true },
		{ "arch/arm/include/asm/io.h", false, false },
		{ "mm/bio.h", false, true },
		{ "include/linux/never.h", false, false },
	};
	struct fb_seen s = { 0 };
	read_inputs(&s);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (fb_seen_matters(&s, rows[i].path, false) !=
			    rows[i].changed ||
		    fb_seen_matters(&s, rows[i].path, true) != rows[i].added)
			fail_msg("%s", rows[i].path);
	}
	assert_int_equal(fb_seen_objects(&s, "include/linux/bio.h"), 40);
	assert_int_equal(fb_seen_objects(&s, "no/such"), 0);
	fb_seen_release(&s);
}

static void builds_add_up(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct fb_seen s = { 0 };
	fb_autofree char *list = fb_strf("%s/more", dir);
	static const char more[] = "3 mm/slab.c\n1 mm/slub.c\n";
	static const char *const damaged[] = { "x mm/slab.c\n", "3\n", "3 \n",
					       "-1 mm/slab.c\n" };
	bool grew;
	read_inputs(&s);
	fb_autofree char *before = fb_seen_identity(&s);
	read_inputs(&s);
	fb_autofree char *again = fb_seen_identity(&s);
	assert_string_equal(before, again);
	assert_ok(fb_file_write(list, more, strlen(more), &err), err);
	assert_ok(fb_seen_add(&s, list, &grew, &err), err);
	assert_true(grew);
	assert_ok(fb_seen_add(&s, list, &grew, &err), err);
	assert_false(grew);
	fb_autofree char *after = fb_seen_identity(&s);
	assert_string_not_equal(before, after);
	assert_true(fb_seen_matters(&s, "mm/slub.c", false));
	assert_int_equal(fb_seen_objects(&s, "mm/slab.c"), 3);
	assert_int_equal(fb_seen_objects(&s, "mm/internal.h"), 7);
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		assert_ok(fb_file_write(list, damaged[i], strlen(damaged[i]),
					&err),
			  err);
		assert_int_equal(fb_seen_add(&s, list, &grew, &err),
				 FB_E_MACHINE);
		assert_message(err, "damaged");
		fb_error_release(&err);
	}
	fb_seen_release(&s);
}

static void weights_of_paths(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct fb_weights w;
	struct fb_strv more = { 0 };
	assert_ok(fb_weights_init(&w, NULL, &err), err);
	assert_true(fb_weights_of(&w, "block/bio.c") >
		    fb_weights_of(&w, "kernel/fork.c"));
	assert_true(fb_weights_of(&w, "fs/ext4/inode.c") >
		    fb_weights_of(&w, "fs/proc/base.c"));
	assert_true(fb_weights_of(&w, "kernel/fork.c") == 1);
	fb_weights_release(&w);

	/* The longest prefix holds; one's own before the default. */
	fb_strv_add(&more, "block/=2");
	fb_strv_add(&more, "block/bio=0.25");
	fb_strv_add(&more, "=3");
	assert_ok(fb_weights_init(&w, &more, &err), err);
	assert_true(fb_weights_of(&w, "block/genhd.c") == 2);
	assert_true(fb_weights_of(&w, "block/bio.c") == 0.25);
	assert_true(fb_weights_of(&w, "kernel/fork.c") == 3);
	fb_weights_release(&w);
	fb_strv_release(&more);

	static const char *const wrong[] = {
		"block/",    "block/=",	   "block/=x",	"block/=0",
		"block/=-1", "block/=nan", "block/=1e9"
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		fb_strv_add(&more, wrong[i]);
		assert_int_equal(fb_weights_init(&w, &more, &err), FB_E_USAGE);
		assert_message(err, wrong[i]);
		fb_error_release(&err);
		fb_strv_release(&more);
	}

	fb_weights_uniform(&w);
	assert_true(fb_weights_of(&w, "block/bio.c") == 1);
	fb_weights_release(&w);
}

/*
 * good - slab - doc - merge - rename - mode - side: slab, side and the merge's
 * second parent change mm/slab.c.
 */
#define HISTORY                                                            \
	"git init -q -b main .; git config user.name t; "                  \
	"git config user.email t@example.org; mkdir mm block doc; "        \
	"commit() { git add -A; git commit -qm $1; git tag $1; }; "        \
	"echo 1 > mm/slab.c; echo 1 > doc/a; echo 1 > block/blk-merge.c; " \
	"commit good; echo 2 > mm/slab.c; commit slab; "                   \
	"git checkout -q -b left good; echo 3 > block/blk-merge.c; "       \
	"commit side; git checkout -q -b right good; echo 4 > doc/b; "     \
	"commit idle; git checkout -q main; echo 2 > doc/a; commit doc; "  \
	"git merge -q -m m left; git tag merge; "                          \
	"git merge -q -m m right; git tag idle-merge; "                    \
	"git mv mm/slab.c mm/slob.c; commit rename; "                      \
	"git mv mm/slob.c mm/slab.c; commit back; "                        \
	"chmod +x mm/slab.c; commit mode; echo 9 > doc/a; commit bad"

struct lab {
	struct fb_repo repo;
	struct fb_graph graph;
	struct fb_seen seen;
	struct fb_weights weights;
	double weight[32];
	struct fb_relevance_counts counts;
};

static void open_lab(struct lab *l)
{
	struct fb_error err = FB_ERROR_INIT;
	git_oid good, bad;
	fb_autofree char *script = fb_strf(
		"set -e; mkdir %s/src; cd %s/src; %s", dir, dir, HISTORY);
	fb_autofree char *path = fb_strf("%s/src", dir);
	*l = (struct lab){ 0 };
	assert_int_equal(system(script), 0);
	assert_ok(fb_repo_open(&l->repo, path, &err), err);
	assert_ok(fb_repo_resolve(&l->repo, "good", &good, &err), err);
	assert_ok(fb_repo_resolve(&l->repo, "bad", &bad, &err), err);
	assert_ok(fb_graph_load(&l->graph, &l->repo, &good, 1, &bad, 0, NULL,
				&err),
		  err);
	assert_int_equal(l->graph.dag.n, 10);
	read_inputs(&l->seen);
	assert_ok(fb_weights_init(&l->weights, NULL, &err), err);
}

static void close_lab(struct lab *l)
{
	fb_weights_release(&l->weights);
	fb_seen_release(&l->seen);
	fb_graph_release(&l->graph);
	fb_repo_release(&l->repo);
}

static void find(struct lab *l, const char *cache)
{
	struct fb_error err = FB_ERROR_INIT;
	struct fb_relevance r = { .repo = &l->repo,
				  .seen = &l->seen,
				  .weights = &l->weights,
				  .cache = cache };
	assert_ok(fb_relevance_find(&r, &l->graph, l->weight, &l->counts, &err),
		  err);
}

static double weight(const struct lab *l, const char *rev)
{
	struct fb_error err = FB_ERROR_INIT;
	git_oid oid;
	assert_ok(fb_repo_resolve(&l->repo, rev, &oid, &err), err);
	for (uint32_t x = 0; x < l->graph.dag.n; x++)
		if (git_oid_equal(&l->graph.oid[x], &oid))
			return l->weight[x];
	fail_msg("%s is not in the range", rev);
	return 0;
}

static void check_weights(const struct lab *l)
{
	assert_true(weight(l, "slab") == 4);
	assert_true(weight(l, "side") == 8);
	assert_true(weight(l, "doc") == 0);
	assert_true(weight(l, "idle") == 0);
	/* Differs from both parents: each side brought something. */
	assert_true(weight(l, "merge") == 1);
	/* Is like its first parent in all that matters. */
	assert_true(weight(l, "idle-merge") == 0);
	assert_true(weight(l, "rename") == 4);
	assert_true(weight(l, "back") == 4);
	assert_true(weight(l, "mode") == 4);
	assert_true(weight(l, "bad") == 0);
	assert_int_equal(l->counts.relevant, 6);
}

static void which_commits_matter(void **state)
{
	(void)state;
	struct lab l;
	open_lab(&l);
	find(&l, NULL);
	assert_int_equal(l.counts.diffed, 10);
	check_weights(&l);
	close_lab(&l);
}

static void what_was_found_is_kept(void **state)
{
	(void)state;
	struct lab l;
	struct fb_error err = FB_ERROR_INIT;
	fb_autofree char *cache = fb_strf("%s/cache", dir);
	open_lab(&l);
	find(&l, cache);
	assert_int_equal(l.counts.diffed, 10);
	find(&l, cache);
	assert_int_equal(l.counts.diffed, 0);
	check_weights(&l);

	/* A torn line, and one of another world: nothing is believed. */
	fb_autofree char *tear =
		fb_strf("cd %s; for f in *; do head -c -20 $f > ../t; "
			"printf '\\nffff 0\\nxyz' >> ../t; cat ../t > $f; done",
			cache);
	assert_int_equal(system(tear), 0);
	find(&l, cache);
	assert_true(l.counts.diffed >= 1 && l.counts.diffed <= 2);
	check_weights(&l);
	find(&l, cache);
	assert_int_equal(l.counts.diffed, 0);

	/* Other weights are another question. */
	fb_weights_release(&l.weights);
	fb_weights_uniform(&l.weights);
	find(&l, cache);
	assert_int_equal(l.counts.diffed, 10);
	assert_true(weight(&l, "side") == 1);
	assert_true(weight(&l, "doc") == 0);

	/* A file stands where the directory should be. */
	fb_autofree char *blocked = fb_strf("%s/inputs", dir);
	struct fb_relevance r = { &l.repo, &l.seen, &l.weights, false,
				  blocked };
	assert_int_not_equal(
		fb_relevance_find(&r, &l.graph, l.weight, &l.counts, &err), 0);
	fb_error_release(&err);
	close_lab(&l);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	CASE(which_paths_matter),     CASE(builds_add_up),
	CASE(weights_of_paths),	      CASE(which_commits_matter),
	CASE(what_was_found_is_kept),
};

UNIT_MAIN(tests)
