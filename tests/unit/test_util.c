/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"
#include "identity.h"
#include "lines.h"
#include "process.h"
#include "text.h"
#include "unit.h"

struct got {
	char text[64][32];
	bool cut[64];
	size_t n;
};

static void keep(void *data, char *line, size_t len, bool cut)
{
	struct got *g = data;
	assert_true(g->n < 64);
	assert_int_equal(strlen(line), len);
	snprintf(g->text[g->n], sizeof(g->text[0]), "%s", line);
	g->cut[g->n++] = cut;
}

static void lines_split_and_bound(void **state)
{
	(void)state;
	struct got g = { 0 };
	struct fb_lines l;
	fb_lines_init(&l, 8, keep, &g);
	fb_lines_feed(&l, "on", 2);
	fb_lines_feed(&l, "e\r\ntwo\n\n0123456789abc\nlast", 26);
	fb_lines_end(&l);
	fb_lines_release(&l);
	assert_int_equal(g.n, 5);
	assert_string_equal(g.text[0], "one");
	assert_string_equal(g.text[1], "two");
	assert_string_equal(g.text[2], "");
	assert_string_equal(g.text[3], "01234567");
	assert_true(g.cut[3]);
	assert_string_equal(g.text[4], "last");
	assert_false(g.cut[4]);
}

static void lines_nul_is_visible(void **state)
{
	(void)state;
	struct got g = { 0 };
	struct fb_lines l;
	fb_lines_init(&l, 8, keep, &g);
	fb_lines_feed(&l, "a\0b\n", 4);
	fb_lines_release(&l);
	assert_string_equal(g.text[0], "a?b");
}

static void numbers_are_strict(void **state)
{
	(void)state;
	double d = 7;
	long n = 7;
	assert_true(fb_parse_double("-1.5e3", &d));
	assert_true(d == -1500);
	static const char *const bad[] = { "",	  " 1",	   "1 ", "1,5", "nan",
					   "inf", "1e999", "0x", "--1" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(fb_parse_double(bad[i], &d));
	assert_true(d == -1500);
	assert_true(fb_parse_long("12", 1, 12, &n));
	assert_false(fb_parse_long("13", 1, 12, &n));
	assert_int_equal(n, 12);
}

/* FIPS 180-4: SHA-256 of "abc" and, here, its terminating NUL. */
static void identity_is_sha256(void **state)
{
	(void)state;
	const char *parts[] = { "abc" };
	char *hex = fb_identity(parts, 1);
	/* printf 'abc\0' | sha256sum */
	assert_string_equal(hex, "dc1114cd074914bd872cc1f9a23ec910ea2203bc7977"
				 "9ab2e17da25782a624fc");
	free(hex);
}

static char *temp_dir(void)
{
	char *dir = fb_strdup("/tmp/fb-unit-XXXXXX");
	assert_non_null(mkdtemp(dir));
	return dir;
}

static void files_round_trip(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	char *dir = temp_dir(), *text = NULL;
	size_t len;
	char *path = fb_strf("%s/a/b/c", dir), *sub = fb_strf("%s/a/b", dir),
	     *copy = fb_strf("%s/copy", dir);
	assert_ok(fb_mkdir_p(sub, &err), err);
	assert_ok(fb_mkdir_p(sub, &err), err);
	assert_ok(fb_file_write(path, "hello", 5, &err), err);
	assert_ok(fb_file_append(path, " world", &err), err);
	assert_ok(fb_file_copy(path, copy, &err), err);
	assert_ok(fb_file_read(copy, 100, &text, &len, &err), err);
	assert_int_equal(len, 11);
	assert_string_equal(text, "hello world");
	free(text);
	assert_int_equal(fb_file_read(copy, 10, &text, &len, &err), FB_E_USAGE);
	assert_message(err, "larger than 10 bytes");
	assert_ok(fb_rm_rf(dir, &err), err);
	assert_false(fb_exists(dir));
	free(path);
	free(sub);
	free(copy);
	free(dir);
	fb_error_release(&err);
}

static void lock_refuses_second(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	char *dir = temp_dir(), *path = fb_strf("%s/lock", dir);
	int a = -1, b = -1;
	assert_ok(fb_lock(path, "wait", &a, &err), err);
	assert_int_equal(fb_lock(path, "wait", &b, &err), FB_E_USAGE);
	char *pid = fb_strf("process %ld", (long)getpid());
	assert_message(err, pid);
	close(a);
	assert_int_equal(fb_lock(path, "wait", &b, &err), 0);
	close(b);
	fb_error_release(&err);
	fb_rm_rf(dir, &err);
	free(pid);
	free(path);
	free(dir);
}

static void no_space_is_a_machine_error(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	assert_ok(fb_need_space("/tmp", 1, &err), err);
	assert_int_equal(fb_need_space("/tmp", UINT64_MAX / 2, &err),
			 FB_E_MACHINE);
	assert_message(err, "no space");
	assert_int_equal(fb_exit_status(err.code), 10);
	fb_error_release(&err);
}

static void process_captures_lines(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct got g = { 0 };
	struct fb_process_result r;
	const char *argv[] = { "sh", "-c", "echo $X; echo two; exit 7", NULL };
	const char *env[] = { "X=one", NULL };
	struct fb_process p = {
		.argv = argv, .env = env, .line = keep, .data = &g
	};
	assert_ok(fb_process_run(&p, &r, &err), err);
	assert_int_equal(r.status, 7);
	assert_int_equal(r.signal, 0);
	assert_int_equal(g.n, 2);
	assert_string_equal(g.text[0], "one");
	assert_string_equal(g.text[1], "two");
}

static void process_time_out_ends_group(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct got g = { 0 };
	struct fb_process_result r;
	/* The grandchild holds the pipe and would outlive its parent. */
	const char *argv[] = { "sh", "-c", "sleep 60 & echo $!; wait", NULL };
	struct fb_process p = {
		.argv = argv, .line = keep, .data = &g, .timeout = 0.2
	};
	double t0 = fb_now();
	assert_ok(fb_process_run(&p, &r, &err), err);
	assert_true(r.timed_out);
	assert_true(fb_now() - t0 < 30);
	assert_int_equal(g.n, 1);
	pid_t grandchild = (pid_t)atol(g.text[0]);
	/* It may take init a moment to reap it. */
	for (int i = 0; i < 100 && kill(grandchild, 0) == 0; i++)
		usleep(20000);
	assert_int_equal(kill(grandchild, 0), -1);
}

/* A grandchild that left the group and holds the pipe delays nothing. */
static void process_stray_grandchild(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct got g = { 0 };
	struct fb_process_result r;
	const char *argv[] = { "sh", "-c", "setsid sleep 20 & echo hi", NULL };
	struct fb_process p = {
		.argv = argv, .line = keep, .data = &g, .timeout = 15
	};
	double t0 = fb_now();
	assert_ok(fb_process_run(&p, &r, &err), err);
	assert_true(fb_now() - t0 < 10);
	assert_false(r.timed_out);
	assert_int_equal(r.status, 0);
	assert_string_equal(g.text[0], "hi");
}

static void process_env_removes_names(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct got g = { 0 };
	struct fb_process_result r;
	setenv("FB_TEST_GONE", "x", 1);
	setenv("FB_TEST_GONE_NOT", "y", 1);
	const char *argv[] = { "sh", "-c",
			       "echo ${FB_TEST_GONE-unset} $FB_TEST_GONE_NOT",
			       NULL };
	const char *env[] = { "FB_TEST_GONE", NULL };
	struct fb_process p = {
		.argv = argv, .env = env, .line = keep, .data = &g
	};
	assert_ok(fb_process_run(&p, &r, &err), err);
	assert_string_equal(g.text[0], "unset y");
}

static void process_missing_program(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct fb_process_result r;
	const char *argv[] = { "no-such-program-anywhere", NULL };
	struct fb_process p = { .argv = argv };
	assert_int_equal(fb_process_run(&p, &r, &err), FB_E_MACHINE);
	assert_message(err, "no-such-program-anywhere");
	fb_error_release(&err);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(lines_split_and_bound),
	cmocka_unit_test(lines_nul_is_visible),
	cmocka_unit_test(numbers_are_strict),
	cmocka_unit_test(identity_is_sha256),
	cmocka_unit_test(files_round_trip),
	cmocka_unit_test(lock_refuses_second),
	cmocka_unit_test(no_space_is_a_machine_error),
	cmocka_unit_test(process_captures_lines),
	cmocka_unit_test(process_time_out_ends_group),
	cmocka_unit_test(process_stray_grandchild),
	cmocka_unit_test(process_env_removes_names),
	cmocka_unit_test(process_missing_program),
};

UNIT_MAIN(tests)
