/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pasted output as mails leave it: quotations, sections, disks of the arms. */
#include "pasted.h"

#define LINE(rate) \
	" Timing buffered disk reads: 1 MB in 1 seconds = " rate " MB/sec\n"

/* Several levels of quotation, CRLF, tabs: the same figures. */
static void as_mail_leaves_it(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_text(&p,
		  "Somebody wrote:\r\n"
		  "> > /dev/hda:\r\n"
		  ">>  Timing buffered disk reads:\t154 MB in  3.01 seconds "
		  "=  51.11 MB/sec\r\n"
		  "> /dev/sda:\r\n"
		  ">  Timing buffered disk reads:  220 MB in  3.01 seconds "
		  "=\r\n> 73.18 MB/sec\r\n");
	check(&p, "hda/hdparm.buffered_read", 0, 51.11, EXACT);
	check(&p, "sda/hdparm.buffered_read", 0, 73.18, EXACT);
	fb_paste_release(&p);
}

/* Lines cut at 72 columns. */
static void wrapped_by_a_mailer(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_text(&p,
		  "> Timing buffered disk\n> reads: 154 MB in 3.01 seconds = "
		  "51.11 MB/sec\n\n"
		  "> Version 1.93c ------Sequential Output------ --Sequential "
		  "Input-\n> --Random-\n"
		  "> Concurrency 1 -Per Chr- --Block-- -Rewrite- -Per Chr- "
		  "--Block--\n> --Seeks--\n"
		  "> Machine Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP "
		  "K/sec\n> %CP /sec %CP\n"
		  "> stein 2G 203 99 57389 18 26943 9 856 93 66032\n> 17 190.8 "
		  "6\n"
		  "> Latency 48553us 295ms 1130ms 196ms 18075us 500ms\n");
	check(&p, "hdparm.buffered_read", 0, 51.11, EXACT);
	check(&p, "bonnie.block_read", 0, 66032 / 1024., EXACT);
	check(&p, "bonnie.seeks", 0, 190.8, EXACT);
	check(&p, "bonnie.seeks.cpu_percent", 0, 6, EXACT);
	check(&p, "bonnie.rewrite.latency_max", 0, 1130e3, EXACT);
	fb_paste_release(&p);
}

static void device_lines_are_hdparms(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_text(&p,
		  "/dev/sda:\n" LINE("10") "/dev/sdb:\n" LINE("11")
			  LINE("12") "\n# dd if=/mnt/f of=/dev/null\n"
				     "104857600 bytes (105 MB) copied, 2 s, 52 "
				     "MB/s\n");
	check(&p, "sda/hdparm.buffered_read", 0, 10, EXACT);
	check(&p, "sdb/hdparm.buffered_read", 1, 12, EXACT);
	check(&p, "dd.file_read", 0, 52.4288, EXACT);
	fb_paste_release(&p);
}

static void what_is_not_read_is_said(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_text(&p, "the disk does\nabout 56.0 MB/s here\n\n"
		      " Timing buffered disk reads: read() failed\n\n"
		      "Version 1.93c ------Sequential Output------\n");
	assert_int_equal(p.n, 0);
	assert_int_equal(p.n_notes, 3);
	assert_int_equal(p.notes[0].line, 2);
	assert_int_equal(p.notes[1].line, 4);
	assert_int_equal(p.notes[2].line, 6);
	fb_paste_release(&p);
}

static const char two_arms[] =
	"old kernel, IDE:\n Timing buffered disk reads: 1 MB in 1 seconds = 10 "
	"MB/sec\n"
	"new kernel, IDE:\n Timing buffered disk reads: 1 MB in 1 seconds = 5 "
	"MB/sec\n\n"
	"before\n\n/dev/sda:\n Timing buffered disk reads: 1 MB in 1 seconds = "
	"20 MB/sec\n\nafter\n";

static void sections(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_as(&p, two_arms, "old kernel", NULL);
	check(&p, "IDE/hdparm.buffered_read", 0, 10, EXACT);
	assert_int_equal(p.n, 1);
	fb_paste_release(&p);
	/* No heading: the paragraph, whose blank line comes first. */
	read_as(&p, two_arms, "^before$", NULL);
	check(&p, "sda/hdparm.buffered_read", 0, 20, EXACT);
	assert_int_equal(p.n, 1);
	fb_paste_release(&p);
	read_as(&p, two_arms, "^new", "^before");
	check(&p, "IDE/hdparm.buffered_read", 0, 5, EXACT);
	assert_int_equal(p.n, 1);
	fb_paste_release(&p);
}

/* Commands of root do not end a section, headings of Markdown do. */
static void prompts_are_no_headings(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_as(&p,
		"# Old kernel\n# sync\n# hdparm -t /dev/sda\n/dev/sda:\n" LINE(
			"10") "# vmstat 1\n" LINE("11") "## New kernel\n" LINE("5"),
		"Old", NULL);
	check(&p, "kernel/sda/hdparm.buffered_read", 0, 10, EXACT);
	check(&p, "kernel/sda/hdparm.buffered_read", 1, 11, EXACT);
	assert_int_equal(p.n, 2);
	fb_paste_release(&p);
}

static void wrong_selections(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	struct fb_error err = FB_ERROR_INIT;
	struct fb_selection sel = { "nowhere", NULL, NULL };
	assert_int_equal(
		fb_paste_read(&p, two_arms, strlen(two_arms), &sel, &err),
		FB_E_USAGE);
	assert_message(err, "no line matches");
	sel.from = "(";
	assert_int_equal(
		fb_paste_read(&p, two_arms, strlen(two_arms), &sel, &err),
		FB_E_USAGE);
	assert_int_equal(fb_paste_extract(&p, two_arms, strlen(two_arms), "m",
					  "no group", &err),
			 FB_E_USAGE);
	fb_error_release(&err);
	fb_paste_release(&p);
}

/* hda before, sda since libata; but two disks never become one. */
static void disks_of_the_arms(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct fb_paste a = { 0 }, b = { 0 };
	struct fb_verdict v = { 0 };
	read_text(&a, "/dev/hda:\n" LINE("10"));
	read_text(&b, "/dev/sda:\n" LINE("9"));
	assert_int_equal(fb_paste_join(&a, &b, NULL, &v, &err), 0);
	assert_string_equal(v.rows[0].metric, "hdparm.buffered_read");
	assert_int_equal(v.rows[0].n_a, 1);
	assert_int_equal(v.rows[0].n_b, 1);
	fb_verdict_release(&v);
	read_text(&a, "/dev/hdb:\n" LINE("12"));
	assert_int_equal(fb_paste_join(&a, &b, NULL, &v, &err), FB_E_USAGE);
	assert_message(err, "A has hda/hdparm.buffered_read, hdb/");
	fb_error_release(&err);
	fb_verdict_release(&v);
	fb_paste_release(&a);
	fb_paste_release(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(as_mail_leaves_it),
	cmocka_unit_test(wrapped_by_a_mailer),
	cmocka_unit_test(device_lines_are_hdparms),
	cmocka_unit_test(what_is_not_read_is_said),
	cmocka_unit_test(sections),
	cmocka_unit_test(prompts_are_no_headings),
	cmocka_unit_test(wrong_selections),
	cmocka_unit_test(disks_of_the_arms),
};

UNIT_MAIN(tests)
