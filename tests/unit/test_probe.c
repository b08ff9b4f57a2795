/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the probe reads from kernels of every age (files in tests/data/proc, in
 * the formats of Documentation/admin-guide/iostats.rst), and what it computes.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters.h"
#include "disk.h"
#include "histogram.h"
#include "timeline.h"
#include "unit.h"

#define PROC DATA_DIR "/proc/"
#define HAS(c, f) ((c).disk_has >> (f)&1)

static void diskstats_2_6_18(void **state)
{
	(void)state;
	struct counters c;
	assert_int_equal(counters_read(PROC "2.6.18", "hda", &c), 0);
	assert_true(c.disk[READS] == 5214 && c.disk[READ_SECTORS] == 164534);
	assert_true(c.disk[WRITE_MS] == 92304 && c.disk[WEIGHTED_MS] == 115720);
	assert_true(HAS(c, WEIGHTED_MS) && !HAS(c, DISCARDS));
	assert_true(c.cpu[USER] == 1523 && c.cpu[STEAL] == 0);
	assert_true(c.kernel[INTR] == 1198743 && c.kernel[CTXT] == 402113);
	assert_true(c.kernel[PGPGIN] == 82267 && c.kernel[PSWPOUT] == 3);
	assert_true(c.running == 2 && c.blocked == 1);
	assert_false(c.kernel_has >> NR_DIRTIED & 1);
}

/* Four fields: reads, sectors read, writes, sectors written. */
static void diskstats_partition_before_2_6_25(void **state)
{
	(void)state;
	struct counters c;
	assert_int_equal(counters_read(PROC "2.6.18", "hda1", &c), 0);
	assert_true(c.disk[READS] == 6813 && c.disk[READ_SECTORS] == 164246);
	assert_true(c.disk[WRITES_DONE] == 5594 &&
		    c.disk[WRITE_SECTORS] == 44752);
	assert_true(HAS(c, READS) && !HAS(c, READ_MERGES) && !HAS(c, READ_MS));
}

static void stat_of_four_fields(void **state)
{
	(void)state;
	struct counters c;
	assert_int_equal(counters_read(PROC "2.6.5", "sda", &c), 0);
	assert_true(c.cpu[IDLE] == 300);
	assert_true(c.cpu_has == 0xf);
	assert_true(c.kernel_has == (1 << INTR | 1 << CTXT));
}

static void diskstats_of_15_and_17_fields(void **state)
{
	(void)state;
	struct counters c;
	assert_int_equal(counters_read(PROC "4.18", "sda", &c), 0);
	assert_true(c.disk[DISCARD_SECTORS] == 24576);
	assert_true(HAS(c, DISCARD_MS) && !HAS(c, FLUSHES));
	assert_int_equal(counters_read(PROC "6.1", "nvme0n1", &c), 0);
	assert_true(c.disk[FLUSHES] == 1410 && c.disk[FLUSH_MS] == 922);
	assert_true(c.disk[IN_FLIGHT] == 2);
	assert_true(c.kernel[PGSCAN_DIRECT] == 64);
}

static void absent_disk_is_an_error(void **state)
{
	(void)state;
	struct counters c;
	/* A prefix of a name is another disk's name. */
	assert_int_equal(counters_read(PROC "6.1", "nvme0n", &c), -1);
	assert_int_equal(counters_read(PROC "nowhere", "sda", &c), -1);
}

static void meminfo_as_vmstat_counts(void **state)
{
	(void)state;
	struct memory m;
	memory_read(PROC "2.6.18", &m);
	assert_true(m.free == 312208 && m.buffers == 12044);
	assert_true(m.cache == 101332 && m.swap_used == 12);
	memory_read(PROC "6.1", &m);
	assert_true(m.cache == 41120 + 9012 && m.total == 1004032);
}

/* 100 ticks: shares are rounded half up, as vmstat's. */
static void timeline_is_vmstats(void **state)
{
	(void)state;
	struct counters a = { .running = 3, .blocked = 1 }, b = { 0 };
	struct memory m = { .free = 1000, .buffers = 20, .cache = 300 };
	struct timeline_row row;
	a.cpu[USER] = 10;
	a.cpu[NICE] = 5;
	a.cpu[SYSTEM] = 20;
	a.cpu[IRQ] = 1;
	a.cpu[SOFTIRQ] = 4;
	a.cpu[IDLE] = 100;
	a.cpu[IOWAIT] = 60;
	a.kernel[PGPGIN] = 4001;
	a.kernel[PSWPIN] = 10;
	a.kernel[INTR] = 501;
	a.kernel[CTXT] = 900;
	timeline_row(&row, &b, &a, &m, 2);
	/*                 r  b swpd free  buff cache si  so bi    bo in   cs
	 *                 us sy  id  wa  st; 200 ticks in all */
	const unsigned long want[] = { 2, 1,   0,   1000, 20, 300, 20, 0, 2001,
				       0, 251, 450, 8,	  13, 50,  30, 0 };
	for (int i = 0; i < VMSTAT_COLUMNS; i++)
		if (row.v[i] != want[i])
			fail_msg("column %d is %lu, not %lu", i, row.v[i],
				 want[i]);
}

static void histogram_is_within_its_width(void **state)
{
	(void)state;
	/* Every value lies in its bucket, and buckets are 1/16 wide at most. */
	for (uint64_t v = 0; v < 1ull << 43; v += v / 7 + 1) {
		struct histogram h;
		memset(&h, 0, sizeof(h));
		histogram_add(&h, v);
		size_t b = 0;
		while (!h.count[b])
			b++;
		assert_true(histogram_low(b) <= v && v < histogram_high(b));
		assert_true(histogram_high(b) - histogram_low(b) <=
			    1 + histogram_low(b) / 16);
		assert_true(h.max == v && h.n == 1);
	}
}

static void histogram_quantiles(void **state)
{
	(void)state;
	struct histogram h;
	memset(&h, 0, sizeof(h));
	assert_true(histogram_quantile(&h, .5) == 0);
	for (uint64_t v = 1; v <= 1000; v++)
		histogram_add(&h, v * 1000);
	const double q[] = { .5, .9, .99, 1 };
	for (int i = 0; i < 4; i++) {
		double got = histogram_quantile(&h, q[i]);
		double want = q[i] * 1e6;
		if (got < want * 31 / 32 || got > want * 33 / 32)
			fail_msg("quantile %g is %g", q[i], got);
	}
	assert_true(histogram_quantile(&h, 1) <= (double)h.max);
}

/* Word n of IDENTIFY DEVICE. */
static void set_word(unsigned char id[512], int n, unsigned v)
{
	id[2 * n] = v & 0xff;
	id[2 * n + 1] = v >> 8 & 0xff;
}

static void transfer_modes(void **state)
{
	(void)state;
	unsigned char id[512] = { 0 };
	assert_string_equal(transfer_mode(id), "PIO");
	set_word(id, 63, 0x0407); /* MWDMA 2 of 0 to 2 */
	assert_string_equal(transfer_mode(id), "MWDMA2");
	set_word(id, 88, 0x203f); /* UDMA 5 of 0 to 5, but not valid */
	assert_string_equal(transfer_mode(id), "MWDMA2");
	set_word(id, 53, 0x0007);
	assert_string_equal(transfer_mode(id), "UDMA5");
	set_word(id, 88, 0x003f); /* supported, none active */
	assert_string_equal(transfer_mode(id), "MWDMA2");
}

/* What runners/qemu writes as a job, read back. */
static void job_file(void **state)
{
	(void)state;
	char path[] = "/tmp/firstbad-job-XXXXXX";
	static const char text[] =
		"token 0123456789abcdef\nseconds 0.5\nfile_mib 128\n"
		"char_kib 64\nfiles 2\ndd_block 1024\nhz 10\nkeep_cache 1\n"
		"disk ahci0 FBAHCI0 ext4\ndisk ata0 FBATA0 raw\n"
		"command mine 30 0\narg sh\narg -c\narg echo \"a  b\" | wc\n"
		"run copy.raw ahci0 ata0\nrun mine ata0 ahci0\n";
	struct job job;
	int fd = mkstemp(path);
	assert_true(write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
	close(fd);
	assert_int_equal(job_read(path, &job), 0);
	assert_true(job.prefix && job.params.keep_cache);
	assert_true(job.params.seconds == .5 && job.params.hz == 10);
	assert_string_equal(job.disks[1].fs, "raw");
	assert_int_equal(job.commands[0].argc, 3);
	assert_string_equal(job.commands[0].argv[2], "echo \"a  b\" | wc");
	assert_false(job.commands[0].mount);
	assert_string_equal(job.runs[0].target, "ata0");
	for (size_t i = 0; i < job.commands[0].argc; i++)
		free(job.commands[0].argv[i]);
	fd = open(path, O_WRONLY | O_APPEND);
	assert_true(write(fd, "unknown 1\n", 10) == 10);
	close(fd);
	assert_int_equal(job_read(path, &job), -1);
	for (size_t i = 0; i < job.commands[0].argc; i++)
		free(job.commands[0].argv[i]);
	unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(diskstats_2_6_18),
	cmocka_unit_test(diskstats_partition_before_2_6_25),
	cmocka_unit_test(stat_of_four_fields),
	cmocka_unit_test(diskstats_of_15_and_17_fields),
	cmocka_unit_test(absent_disk_is_an_error),
	cmocka_unit_test(meminfo_as_vmstat_counts),
	cmocka_unit_test(timeline_is_vmstats),
	cmocka_unit_test(histogram_is_within_its_width),
	cmocka_unit_test(histogram_quantiles),
	cmocka_unit_test(transfer_modes),
	cmocka_unit_test(job_file),
};

UNIT_MAIN(tests)
