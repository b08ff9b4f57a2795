/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bisect_log.h"
#include "commit_graph.h"
#include "file.h"
#include "graph.h"
#include "text.h"
#include "unit.h"

#define COMMITS 60

static char dir[64], file[128];

/* A line of commits with an octopus merge in the middle, made by git. */
static int set_up(void **state)
{
	(void)state;
	char command[1024];
	strcpy(dir, "/tmp/fb-history-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/objects/info/commit-graph", dir);
	snprintf(command, sizeof(command),
		 "set -e; cd %s; git init -q --bare .; "
		 "t=$(git mktree < /dev/null); p=; a=; "
		 "export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t "
		 "GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t; "
		 "for i in $(seq 1 %d); do "
		 "[ $i = 30 ] && p=\"$p -p $first -p $second\"; "
		 "c=$(git commit-tree $p -m $i $t); "
		 "[ $i = 1 ] && git tag good $c; [ $i = 10 ] && first=$c; "
		 "[ $i = 20 ] && second=$c; p=\"-p $c\"; done; "
		 "git update-ref refs/heads/main $c; git tag bad $c; "
		 "git commit-graph write --reachable 2> /dev/null",
		 dir, COMMITS);
	return system(command);
}

static int tear_down(void **state)
{
	struct fb_error err = FB_ERROR_INIT;
	(void)state;
	return fb_rm_rf(dir, &err);
}

/* Commits and edges of good..bad; 0 when it fails. */
static uint32_t load(uint32_t *edges)
{
	struct fb_error err = FB_ERROR_INIT;
	struct fb_repo repo;
	struct fb_graph g;
	git_oid good, bad;
	uint32_t n = 0;
	assert_ok(fb_repo_open(&repo, dir, &err), err);
	assert_ok(fb_repo_resolve(&repo, "good", &good, &err), err);
	assert_ok(fb_repo_resolve(&repo, "bad", &bad, &err), err);
	if (fb_graph_load(&g, &repo, &good, 1, &bad, 0, NULL, &err) == 0) {
		n = g.dag.n;
		*edges = n ? g.dag.at[n] : 0;
		for (uint32_t x = 0; x < n; x++)
			for (uint32_t k = g.dag.at[x]; k < g.dag.at[x + 1]; k++)
				assert_true(g.dag.parent[k] < x);
		fb_graph_release(&g);
	}
	fb_error_release(&err);
	fb_repo_release(&repo);
	return n;
}

static void put(const char *bytes, size_t n)
{
	struct fb_error err = FB_ERROR_INIT;
	chmod(file, 0644);
	assert_ok(fb_file_write(file, bytes, n, &err), err);
}

static void graph_file_is_only_a_cache(void **state)
{
	(void)state;
	uint32_t with, without;
	/* 59 commits after good; the merge adds two edges to the line's 58. */
	assert_int_equal(load(&with), COMMITS - 1);
	assert_int_equal(with, COMMITS - 2 + 2);
	unlink(file);
	assert_int_equal(load(&without), COMMITS - 1);
	assert_int_equal(with, without);
}

static void cut_graph_files_are_left_aside(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	char *whole;
	size_t size;
	uint32_t edges;
	assert_ok(fb_file_read(file, 1 << 20, &whole, &size, &err), err);
	for (size_t n = 0; n < size; n += n < 200 ? 7 : 97) {
		put(whole, n);
		assert_int_equal(load(&edges), COMMITS - 1);
		assert_int_equal(edges, COMMITS);
	}
	free(whole);
}

/* A flipped bit may name another commit, but never leads out of the arrays. */
static void flipped_bits_are_survived(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	char *bytes;
	size_t size;
	uint32_t edges;
	assert_ok(fb_file_read(file, 1 << 20, &bytes, &size, &err), err);
	for (size_t i = 0; i < size; i += i < 1200 ? 11 : 23) {
		char was = bytes[i];
		bytes[i] = (char)(was ^ (1 << (i % 8)));
		put(bytes, size);
		load(&edges);
		bytes[i] = (char)~was;
		put(bytes, size);
		load(&edges);
		bytes[i] = was;
	}
	put(bytes, size);
	assert_int_equal(load(&edges), COMMITS - 1);
	free(bytes);
}

/* git ignores the file then, and so do we: the answer is the objects'. */
static void grafts_turn_the_file_off(void **state)
{
	(void)state;
	char path[128];
	uint32_t edges;
	struct fb_error err = FB_ERROR_INIT;
	snprintf(path, sizeof(path), "%s/info/grafts", dir);
	put("not a graph", 11);
	assert_ok(fb_file_write(path, "", 0, &err), err);
	assert_int_equal(load(&edges), COMMITS - 1);
}

static struct fb_bisect_log read_log(const char *text)
{
	struct fb_error err = FB_ERROR_INIT;
	struct fb_bisect_log log;
	char path[128];
	snprintf(path, sizeof(path), "%s/log", dir);
	assert_ok(fb_file_write(path, text, strlen(text), &err), err);
	assert_ok(fb_bisect_log_read(&log, path, &err), err);
	return log;
}

static void logs_as_git_writes_them(void **state)
{
	(void)state;
	struct fb_bisect_log log = read_log(
		"# bad: [a] x\n# good: [b] y\n"
		"git bisect start '--term-new=slow' '--term-old=it'\\''s' 'a' "
		"'b' '--' 'dir/a file'\r\n"
		"git-bisect slow c\n\n"
		"git bisect it\\'s d e\n# skip: [f]\ngit bisect skip f\n");
	assert_string_equal(log.term_bad, "slow");
	assert_string_equal(log.term_good, "it's");
	assert_int_equal(log.paths.n, 1);
	assert_string_equal(log.paths.v[0], "dir/a file");
	static const char revs[] = "abcdef";
	static const enum fb_mark marks[] = { FB_MARK_BAD,  FB_MARK_GOOD,
					      FB_MARK_BAD,  FB_MARK_GOOD,
					      FB_MARK_GOOD, FB_MARK_SKIP };
	assert_int_equal(log.n, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(log.marks[i].mark, marks[i]);
		assert_int_equal(log.marks[i].rev[0], revs[i]);
	}
	fb_bisect_log_release(&log);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	CASE(graph_file_is_only_a_cache), CASE(cut_graph_files_are_left_aside),
	CASE(flipped_bits_are_survived),  CASE(grafts_turn_the_file_off),
	CASE(logs_as_git_writes_them),
};

UNIT_MAIN(tests)
