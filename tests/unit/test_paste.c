/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pasted output. The files in tests/data/verdict were printed by Debian 12's
 * hdparm 9.65, bonnie++ 2.00a, coreutils 9.1, procps 4.0.2, strace 6.1, ltrace
 * 0.7.3, bash, time 1.9 and fio 3.33; the expected figures are read off them.
 */
#include <stdlib.h>

#include "file.h"
#include "pasted.h"

static void read_file(struct fb_paste *p, const char *name)
{
	struct fb_error err = FB_ERROR_INIT;
	fb_autofree char *path = fb_strf(DATA_DIR "/verdict/%s", name);
	fb_autofree char *text = NULL;
	size_t len;
	int rc = fb_file_read(path, FB_PASTE_MAX, &text, &len, &err);
	assert_ok(rc, err);
	rc = fb_paste_read(p, text, len, NULL, &err);
	assert_ok(rc, err);
}

static void hdparm(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_file(&p, "hdparm-two-devices.txt");
	check(&p, "loop0/hdparm.cached_read", 0, 14447.99, EXACT);
	check(&p, "loop0/hdparm.buffered_read", 0, 279.08, EXACT);
	check(&p, "loop1/hdparm.buffered_read", 0, 296.17, EXACT);
	assert_int_equal(fb_paste_figures(&p), 4);
	fb_paste_release(&p);
	read_file(&p, "hdparm-repeats.txt");
	check(&p, "loop0/hdparm.buffered_read", 0, 288.06, EXACT);
	check(&p, "loop0/hdparm.buffered_read", 2, 209.06, EXACT);
	fb_paste_release(&p);
	read_file(&p, "hdparm-direct.txt");
	check(&p, "loop0/hdparm.direct_read", 0, 5042.20, EXACT);
	fb_paste_release(&p);
}

static void hdparm_units(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_text(&p, " Timing buffered disk reads:   2 MB in  3.01 seconds = "
		      "512.00 kB/sec\n"
		      "\tTiming\n"
		      " Timing buffer-cache reads:   128 MB in  0.65 seconds "
		      "=196.92 MB/sec\n"
		      " Timing buffered disk reads: 154 MB in 3.01 seconds = "
		      "51.11\n"
		      " Timing buffered disk reads:  64 MB in  3,01 seconds = "
		      "21,26 MB/sec\n"
		      " Timing buffered disk reads (offset 10 GB): 90 MB in "
		      "3.00 seconds =  30.00 MB/sec\n");
	check(&p, "hdparm.buffered_read", 0, .5, EXACT);
	check(&p, "hdparm.cached_read", 0, 196.92, EXACT);
	check(&p, "hdparm.buffered_read", 1, 51.11, EXACT);
	check(&p, "hdparm.buffered_read", 2, 21.26, EXACT);
	check(&p, "hdparm.offset_read", 0, 30, EXACT);
	fb_paste_release(&p);
}

static void bonnie_of_2_00(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	/* Tables and CSV line of one run: one figure each, the exact one. */
	read_file(&p, "bonnie-2.00-large.txt");
	check(&p, "bonnie.block_write", 0, 262219 / 1024., EXACT);
	check(&p, "bonnie.rewrite", 0, 1790609 / 1024., EXACT);
	check(&p, "bonnie.seeks", 0, 5625, EXACT);
	check(&p, "bonnie.seq_create", 0, 9037, EXACT);
	check(&p, "bonnie.ran_delete", 0, 77975, EXACT);
	check(&p, "bonnie.block_write.cpu_percent", 0, 90, EXACT);
	check(&p, "bonnie.per_char_write.latency_max", 0, 74475, EXACT);
	assert_true(isnan(value(&p, "bonnie.block_write", 1)));
	assert_true(isnan(value(&p, "bonnie.seq_stat", 0))); /* +++++ */
	fb_paste_release(&p);
	read_file(&p, "bonnie-2.00.csv");
	check(&p, "bonnie.per_char_read", 0, 1523 / 1024., EXACT);
	assert_int_equal(fb_paste_figures(&p), 2);
	assert_true(p.n_notes > 0);
	fb_paste_release(&p);
}

/* The table alone: rounded, with units; -f leaves cells empty. */
static void bonnie_table_with_units(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	static const char head[] =
		"Version 2.00a       ------Sequential Output------ "
		"--Sequential "
		"Input- --Random-\n"
		"                    -Per Chr- --Block-- -Rewrite- -Per Chr- "
		"--Block-- --Seeks--\n"
		"Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  "
		"/sec %CP  /sec %CP\n";
	fb_autofree char *full =
		fb_strf("%s%s", head,
			"box          5G:64k  910k  99  256m  90  1.7g  69 "
			"1565k  96  6.7g  99  5625  52\n");
	read_text(&p, full);
	check(&p, "bonnie.per_char_write", 0, 910 / 1024., EXACT);
	check(&p, "bonnie.block_write", 0, 256, EXACT);
	check(&p, "bonnie.rewrite", 0, 1.7 * 1024, EXACT);
	fb_paste_release(&p);
	fb_autofree char *fast = fb_strf(
		"%s%s", head,
		"box            128M            256m  90  1.7g  69       "
		"     6.7g  99  5625  52\n");
	read_text(&p, fast);
	check(&p, "bonnie.block_write", 0, 256, EXACT);
	check(&p, "bonnie.block_read", 0, 6.7 * 1024, EXACT);
	check(&p, "bonnie.seeks", 0, 5625, EXACT);
	assert_true(isnan(value(&p, "bonnie.per_char_write", 0)));
	fb_paste_release(&p);
}

/* Lines in the layouts of 1.97 (seven fields first) and 1.03 (two). */
static void bonnie_of_old(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_text(&p,
		  "1.97,1.97,box,1,1357092147,8G,,786,99,17116,3,10546,1,4230,"
		  "98,149424,4,285.0,5,16,,,,,9000,10,+++++,+++,8000,12,7000,13"
		  ",+++++,+++,6000,14,1us,2us,3us,4us,5us,6us,7us,8us,9us,10us,"
		  "11us,12us\n");
	check(&p, "bonnie.block_write", 0, 17116 / 1024., EXACT);
	check(&p, "bonnie.block_read", 0, 149424 / 1024., EXACT);
	check(&p, "bonnie.seeks", 0, 285, EXACT);
	check(&p, "bonnie.seq_create", 0, 9000, EXACT);
	check(&p, "bonnie.ran_delete.latency_max", 0, 12, EXACT);
	fb_paste_release(&p);
	read_text(&p, "box,2G,37916,90,43000,21,20000,8,39000,88,60000,9,"
		      "190.5,1,16,2500,40,+++++,+++,2600,41,2700,42,+++++,+++,"
		      "2800,43\n");
	check(&p, "bonnie.block_read", 0, 60000 / 1024., EXACT);
	check(&p, "bonnie.ran_create", 0, 2700, EXACT);
	fb_paste_release(&p);
}

static void dd(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_file(&p, "dd.txt"); /* without its commands */
	check(&p, "dd.rate", 0, 209.7152 / .291103, EXACT);
	check(&p, "dd.rate", 2, 1e-5 / .000154969, EXACT);
	fb_paste_release(&p);
	read_file(&p, "dd-de-fr.txt");
	check(&p, "dd.rate", 0, 209.7152 / .176952, EXACT);
	check(&p, "dd.rate", 1, 209.7152 / .202477, EXACT);
	fb_paste_release(&p);
}

static void dd_commands_and_wordings(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_text(&p, "# dd if=/dev/zero of=/mnt/f bs=1M count=100 conv=fsync\n"
		      "104857600 bytes (105 MB) copied, 2.0 seconds, 52 MB/s\n"
		      "# dd if=/dev/sda of=/dev/null bs=1M iflag=direct\n"
		      "104857600 bytes (105 MB, 100 MiB) copied, 2 s, 52 MB/s\n"
		      "# dd if=/mnt/f of=/dev/null\n"
		      "104857600 bytes transferred in 2.000 secs (52 MB/sec)\n"
		      "# dd if=/dev/sda of=/dev/null\n"
		      "104857600 bytes (105 MB) copied,\n"
		      "2.0 s, 52 MB/s\n");
	check(&p, "dd.write_fsync", 0, 52.4288, EXACT);
	check(&p, "dd.direct_read", 0, 52.4288, EXACT);
	check(&p, "dd.file_read", 0, 52.4288, EXACT);
	check(&p, "dd.raw_read", 0, 52.4288, EXACT);
	fb_paste_release(&p);
	read_text(&p, "104857600 bytes (105 MB) copied\n\nbye\n");
	assert_int_equal(p.n, 0);
	assert_int_equal(p.n_notes, 1);
	assert_int_equal(p.notes[0].line, 1);
	fb_paste_release(&p);
}

static void vmstat(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	/* One row in which anything moved; the first is since boot. */
	read_file(&p, "vmstat.txt");
	check(&p, "vmstat.bo", 0, 300008, EXACT);
	check(&p, "vmstat.bo:wa", 0, 4, EXACT);
	check(&p, "vmstat.bo:sy", 0, 34, EXACT);
	fb_paste_release(&p);
	read_file(&p, "vmstat-timestamps.txt");
	check(&p, "vmstat.bo", 0, 300008, EXACT);
	fb_paste_release(&p);
}

/* A header in between belongs to the table; a row may be wrapped. */
static void vmstat_repeated_header(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	static const char header[] =
		"procs -----------memory---------- ---swap-- -----io---- "
		"-system-- ----cpu----\n"
		" r  b   swpd   free   buff  cache   si   so    bi    bo   in  "
		" "
		"cs us sy id wa\n";
	fb_autofree char *text =
		fb_strf("%s"
			"1 0 0 1 2 3 0 0 9000 0 1 1 50 50 0 0\n"
			"0 1 0 1 2 3 0 0 2000 0 1 1 10 10 0 80\n"
			"%s"
			"0 1 0 1 2 3 0 0 4000 0 1 1\n20 20 0 60\n"
			"[snip]\n"
			"0 1 0 1 2 3 0 0 6000 0 1 1 30 30 0 40\n"
			"209715200 bytes (210 MB) copied, 2 s, 105 MB/s\n",
			header, header);
	read_text(&p, text);
	check(&p, "dd.rate", 0, 104.8576, EXACT);
	check(&p, "dd.rate:bi", 0, 4000, EXACT);
	check(&p, "dd.rate:wa", 0, 60, EXACT);
	fb_paste_release(&p);
}

static void calls(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_file(&p, "strace-c.txt");
	check(&p, "strace.read_us", 0, .114641 / 3202 * 1e6, EXACT);
	check(&p, "strace.write_us", 0, .092238 / 3203 * 1e6, EXACT);
	fb_paste_release(&p);
	read_file(&p, "ltrace-c.txt");
	check(&p, "ltrace.read_us", 0, .115625 / 201 * 1e6, EXACT);
	check(&p, "dd.rate", 0, 209.7152 / .262356, EXACT);
	assert_int_equal(fb_paste_figures(&p), 3);
	fb_paste_release(&p);
	read_file(&p, "ltrace-c-de.txt");
	check(&p, "ltrace.write_us", 0, .101332 / 200 * 1e6, EXACT);
	fb_paste_release(&p);
}

static void time_of_all_shells(void **state)
{
	(void)state;
	static const struct {
		const char *file;
		double real, cpu;
	} rows[] = {
		{ "time-bash.txt", .137, 5.5 / .137 },
		{ "time-bash-de.txt", .060, 5.6 / .060 },
		{ "time-posix.txt", .10, 5 / .10 },
		{ "time-gnu.txt", .07, 5 / .07 },
		{ "time-gnu-v.txt", .07, 5 / .07 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fb_paste p = { 0 };
		read_file(&p, rows[i].file);
		check(&p, "time.real_seconds", 0, rows[i].real, EXACT);
		check(&p, "time.real_seconds.cpu_percent", 0, rows[i].cpu,
		      1e-6);
		fb_paste_release(&p);
	}
	struct fb_paste p = { 0 };
	read_text(&p,
		  "cp y z  0.00s user 0.05s system 68% cpu 1:00.07 total\n");
	check(&p, "time.real_seconds", 0, 60.07, EXACT);
	fb_paste_release(&p);
}

static void fio(void **state)
{
	(void)state;
	struct fb_paste p = { 0 };
	read_file(&p, "fio-two-jobs.json");
	check(&p, "fio.seq.read", 0, 713924085. / (1 << 20), EXACT);
	check(&p, "fio.seq.read.latency_p99", 0, 12648.448, EXACT);
	assert_false(isnan(value(&p, "fio.rnd.write", 0)));
	fb_paste_release(&p);
	read_file(&p, "fio-mixed.json");
	assert_int_equal(fb_paste_figures(&p), 2);
	fb_paste_release(&p);
	read_text(&p, "{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : [\n");
	assert_int_equal(p.n, 0);
	assert_true(strstr(p.notes[0].text, "closing brace") != NULL);
	fb_paste_release(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(hdparm),
	cmocka_unit_test(hdparm_units),
	cmocka_unit_test(bonnie_of_2_00),
	cmocka_unit_test(bonnie_table_with_units),
	cmocka_unit_test(bonnie_of_old),
	cmocka_unit_test(dd),
	cmocka_unit_test(dd_commands_and_wordings),
	cmocka_unit_test(vmstat),
	cmocka_unit_test(vmstat_repeated_header),
	cmocka_unit_test(calls),
	cmocka_unit_test(time_of_all_shells),
	cmocka_unit_test(fio),
};

UNIT_MAIN(tests)
