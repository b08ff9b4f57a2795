/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of diagnoses: where each fits, and a near miss where it must not. */
#include <math.h>

#include "kconfig_diff.h"
#include "unit.h"

#define RAW "hdparm.buffered_read"
#define DIRECT "hdparm.direct_read"
#define CACHED "hdparm.cached_read"
#define FILE_READ "bonnie.block_read"
#define FILE_WRITE "bonnie.block_write"

/* Three boots an arm, 0.2 % apart. */
static void both(struct fb_verdict *v, const char *metric, double a, double b)
{
	for (int i = -1; i <= 1; i++) {
		fb_verdict_add(v, metric, 'a', a * (1 + .002 * i));
		fb_verdict_add(v, metric, 'b', b * (1 + .002 * i));
	}
}

static void evidence(struct fb_verdict *v, const char *window,
		     const char *source, const char *key, double a, double b)
{
	fb_verdict_add_evidence(v, 'a', window, source, key, a);
	fb_verdict_add_evidence(v, 'b', window, source, key, b);
}

static void set(struct fb_verdict *v, const char *subject, const char *key,
		const char *a, const char *b)
{
	fb_verdict_add_setting(v, 'a', subject, key, a);
	fb_verdict_add_setting(v, 'b', subject, key, b);
}

static bool says(const struct fb_verdict *v, const char *part)
{
	for (size_t i = 0; i < v->n_findings; i++)
		for (size_t k = 0; k < v->findings[i].sentences.n; k++)
			if (strstr(v->findings[i].sentences.v[k], part))
				return true;
	return false;
}

static bool lists(const struct fb_verdict *v, const char *name)
{
	for (size_t i = 0; i < v->n_findings; i++)
		if (strcmp(v->findings[i].name, name) == 0)
			return true;
	return false;
}

static bool asks(const struct fb_verdict *v, const char *part)
{
	for (size_t i = 0; i < v->missing.n; i++)
		if (strstr(v->missing.v[i], part))
			return true;
	return false;
}

static void judge(struct fb_verdict *v, const char *name, const char *cause)
{
	fb_verdict_compare(v, .05);
	fb_verdict_diagnose(v);
	assert_string_equal(v->diagnosis, name);
	assert_string_equal(v->cause ? v->cause : "none",
			    cause ? cause : "none");
}

/* Guest and host seconds of one window; 5 % fast is 1.05 s of the guest. */
static void clock_in_one_arm(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 80 / 1.05);
	evidence(&v, RAW, "clock", "host_seconds", 3, 3);
	evidence(&v, RAW, "clock", "guest_seconds", 3.001, 3.15);
	judge(&v, "clock", NULL);
	assert_true(says(&v, "5.0 % fast"));
	assert_true(says(&v, "-4.7 %"));
	fb_verdict_release(&v);

	/* Short windows hold the host's own work, too: the span is asked. */
	v = (struct fb_verdict){ 0 };
	both(&v, RAW, 80, 80 / 1.05);
	evidence(&v, RAW, "clock", "host_seconds", .52, .52);
	evidence(&v, RAW, "clock", "guest_seconds", .5, .525);
	evidence(&v, "boot", "clock", "host_span", 5, 5);
	evidence(&v, "boot", "clock", "guest_span", 5.001, 5.25);
	judge(&v, "clock", NULL);
	assert_true(says(&v, "5.0 % fast"));
	fb_verdict_release(&v);
}

static void clock_near_misses(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 80);
	both(&v, FILE_READ, 80, 80);
	evidence(&v, RAW, "clock", "host_seconds", 3, 3);
	evidence(&v, RAW, "clock", "guest_seconds", 3, 3.027); /* 0.9 % */
	judge(&v, "no-change", NULL);
	fb_verdict_release(&v);
	/* An instruction clock: both arms have a time of their own. */
	both(&v, RAW, 80, 80);
	both(&v, FILE_READ, 80, 80);
	evidence(&v, RAW, "clock", "host_seconds", 3, 3.3);
	evidence(&v, RAW, "clock", "guest_seconds", 1, 1);
	judge(&v, "no-change", NULL);
	fb_verdict_release(&v);
}

static void cache_artifact(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 3000);
	evidence(&v, RAW, "probe", "bytes", 240e6, 9000e6);
	evidence(&v, RAW, "blockstats", "rd_bytes", 240e6, 2.3e6);
	judge(&v, "cache-artifact", NULL);
	assert_true(says(&v, "arm B claims 8583.1 MiB"));
	fb_verdict_release(&v);
	/* Near miss: read-ahead beyond what was asked for is no cache. */
	both(&v, RAW, 80, 80);
	evidence(&v, RAW, "probe", "bytes", 240e6, 240e6);
	evidence(&v, RAW, "blockstats", "rd_bytes", 241e6, 239e6);
	judge(&v, "no-change", NULL);
	fb_verdict_release(&v);
}

static void config_drift_comes_before_blame(void **state)
{
	(void)state;
	struct fb_verdict v = { .axis = FB_AXIS_KERNEL };
	both(&v, FILE_READ, 80, 40);
	set(&v, "host", "governor", "performance", "powersave");
	judge(&v, "config-drift", NULL);
	assert_true(says(&v, "performance, then powersave"));
	assert_true(lists(&v, "io-slower"));
	fb_verdict_release(&v);
}

static void config_drift_near_misses(void **state)
{
	(void)state;
	/* The axis itself, and what the kernel under test chose. */
	struct fb_verdict v = { .axis = FB_AXIS_HOST };
	both(&v, FILE_READ, 80, 40);
	set(&v, "host", "governor", "performance", "powersave");
	judge(&v, "io-slower", NULL);
	assert_true(says(&v, "not a kernel regression"));
	fb_verdict_release(&v);
	v.axis = FB_AXIS_KERNEL;
	both(&v, FILE_READ, 80, 40);
	set(&v, "system", "release", "6.1.0", "6.2.0");
	set(&v, "disk", "scheduler", "cfq", "none");
	judge(&v, "io-slower", NULL);
	fb_verdict_release(&v);
	/* The same knob is drift when only the host was to change. */
	v.axis = FB_AXIS_HOST;
	both(&v, FILE_READ, 80, 40);
	set(&v, "disk", "scheduler", "cfq", "none");
	judge(&v, "config-drift", NULL);
	fb_verdict_release(&v);
	/*
	 * Options of kernels built from one fragment are, too; those that
	 * kernels of others bring along are what is compared.
	 */
	v.axis = FB_AXIS_KERNEL;
	for (int own = 1; own >= 0; own--) {
		v.own_options = own;
		both(&v, FILE_READ, 80, 40);
		set(&v, "kconfig", "CONFIG_PREEMPT", "n", "y");
		judge(&v, own ? "io-slower" : "config-drift", NULL);
		fb_verdict_release(&v);
	}
}

static void probe_only_causes(void **state)
{
	(void)state;
	struct fb_verdict v = { .axis = FB_AXIS_KNOB };
	both(&v, RAW, 80, 30);
	both(&v, FILE_READ, 60, 60);
	set(&v, "disk", "read_ahead_kb", "128", "4");
	judge(&v, "probe-only", "read-ahead");
	assert_true(says(&v, "128 KiB -> 4 KiB"));
	fb_verdict_release(&v);

	both(&v, RAW, 80, 40);
	both(&v, FILE_READ, 60, 60);
	evidence(&v, RAW, "probe", "bytes", 240e6, 240e6);
	evidence(&v, RAW, "probe", "seconds", 3, 6);
	evidence(&v, RAW, "diskstats", "flush_ms", 10, 2900);
	judge(&v, "probe-only", "flush-cost");
	fb_verdict_release(&v);

	/* Near miss: flushing took a tenth of the time that was added. */
	both(&v, RAW, 80, 40);
	both(&v, FILE_READ, 60, 60);
	evidence(&v, RAW, "probe", "bytes", 240e6, 240e6);
	evidence(&v, RAW, "probe", "seconds", 3, 6);
	evidence(&v, RAW, "diskstats", "flush_ms", 10, 300);
	judge(&v, "probe-only", NULL);
	fb_verdict_release(&v);
}

/* The file read is unclear, not same: nothing may be said to be lying. */
static void probe_only_near_miss(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 30);
	both(&v, FILE_READ, 60, 58);
	judge(&v, "not-enough", NULL);
	fb_verdict_release(&v);
	/* A file system that lost as well. */
	both(&v, RAW, 80, 30);
	both(&v, FILE_READ, 60, 50);
	judge(&v, "io-slower", NULL);
	fb_verdict_release(&v);
}

static void device_slower(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 40);
	both(&v, DIRECT, 80, 40);
	both(&v, FILE_READ, 80, 40);
	both(&v, DIRECT ".device_us", 1000, 2000);
	both(&v, DIRECT ".cpu_percent", 10, 9);
	judge(&v, "device-slower", NULL);
	assert_true(says(&v, "1000 us -> 2000 us"));
	fb_verdict_release(&v);
	/* Near miss: requests take as long as before. */
	both(&v, RAW, 80, 40);
	both(&v, DIRECT, 80, 40);
	both(&v, FILE_READ, 80, 40);
	both(&v, DIRECT ".device_us", 1000, 1001);
	both(&v, DIRECT ".cpu_percent", 10, 9);
	judge(&v, "io-slower", NULL);
	fb_verdict_release(&v);
}

static void cpu_bound_causes(void **state)
{
	(void)state;
	struct fb_verdict v = { .axis = FB_AXIS_CMDLINE };
	both(&v, RAW, 80, 4);
	both(&v, DIRECT, 80, 4);
	both(&v, FILE_READ, 80, 4);
	both(&v, RAW ".cpu_percent", 20, 99);
	set(&v, "disk", "transfer_mode", "UDMA/33", "PIO4");
	judge(&v, "cpu-bound", "pio");
	assert_true(says(&v, "UDMA/33 -> PIO4"));
	assert_false(asks(&v, "transfer mode"));
	fb_verdict_release(&v);

	both(&v, RAW, 80, 60);
	both(&v, FILE_READ, 80, 60);
	both(&v, CACHED, 1000, 700);
	both(&v, RAW ".cpu_percent", 60, 99);
	judge(&v, "cpu-bound", "copy");
	assert_true(asks(&v, "transfer mode"));
	fb_verdict_release(&v);

	both(&v, RAW, 80, 60);
	both(&v, FILE_READ, 80, 60);
	both(&v, RAW ".cpu_percent", 60, 99);
	evidence(&v, RAW, "stat", "irq_ticks", 1, 30);
	evidence(&v, RAW, "stat", "softirq_ticks", 1, 20);
	evidence(&v, RAW, "stat", "user_ticks", 10, 5);
	evidence(&v, RAW, "stat", "system_ticks", 40, 44);
	judge(&v, "cpu-bound", "interrupts");
	fb_verdict_release(&v);
}

/* Busy, but not saturated; and a mode that rose. */
static void cpu_bound_near_miss(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 60);
	both(&v, FILE_READ, 80, 60);
	both(&v, RAW ".cpu_percent", 60, 85);
	judge(&v, "io-slower", NULL);
	fb_verdict_release(&v);
	v.axis = FB_AXIS_KERNEL;
	both(&v, RAW, 80, 60);
	both(&v, FILE_READ, 80, 60);
	both(&v, RAW ".cpu_percent", 60, 99);
	set(&v, "disk", "transfer_mode", "MWDMA2", "UDMA33");
	judge(&v, "cpu-bound", NULL);
	fb_verdict_release(&v);
}

static void write_and_read_path(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, FILE_WRITE, 80, 40);
	both(&v, FILE_READ, 80, 80);
	judge(&v, "write-path", NULL);
	fb_verdict_release(&v);
	both(&v, FILE_WRITE, 80, 80);
	both(&v, FILE_READ, 80, 40);
	judge(&v, "read-path", NULL);
	fb_verdict_release(&v);
	/* Near miss: reads were not measured. */
	both(&v, FILE_WRITE, 80, 40);
	judge(&v, "io-slower", "writes");
	assert_true(asks(&v, "reads through a file system"));
	fb_verdict_release(&v);
}

static void interference_and_its_share(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 50);
	both(&v, FILE_READ, 80, 50);
	both(&v, "idle.io_kib", 10, 20 * 1024);
	judge(&v, "interference", NULL);
	assert_true(says(&v, "up to 67 %")); /* 19.99 of 30 MiB/s */
	fb_verdict_release(&v);
	/* A tenth of the drop: said, but the blame is another's. */
	both(&v, RAW, 80, 50);
	both(&v, FILE_READ, 80, 50);
	both(&v, "idle.io_kib", 10, 3 * 1024);
	judge(&v, "io-slower", NULL);
	assert_true(lists(&v, "interference"));
	assert_true(says(&v, "up to 10 %"));
	fb_verdict_release(&v);
	/* Near miss: busy in both arms. */
	both(&v, RAW, 80, 50);
	both(&v, FILE_READ, 80, 50);
	both(&v, "idle.io_kib", 20 * 1024, 20 * 1024);
	judge(&v, "io-slower", NULL);
	assert_false(lists(&v, "interference"));
	fb_verdict_release(&v);
}

/* Half of a drop on log scale: 100 -> 50, and 70.7 with the suspect stopped. */
static void stopping_the_suspect(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, FILE_READ, 100, 50);
	fb_verdict_add(&v, FILE_READ, 'c', 71);
	judge(&v, "interference", NULL);
	assert_true(says(&v, "explains 51 %"));
	fb_verdict_release(&v);
}

static void one_disk_does_not_blame_another(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, "a/" FILE_READ, 80, 80);
	both(&v, "a/" RAW, 80, 80);
	both(&v, "b/" FILE_READ, 80, 40);
	both(&v, "b/" RAW, 80, 80);
	judge(&v, "probe-blind", NULL);
	assert_int_equal(v.n_findings, 1);
	assert_string_equal(v.findings[0].disk, "b");
	fb_verdict_release(&v);
}

/* Seeks and many files are file-system figures: hdparm is blind to them. They
 * do not say that a lying hdparm is right. */
static void other_file_figures(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 80);
	both(&v, FILE_READ, 80, 80);
	both(&v, "bonnie.ran_create", 1000, 500);
	judge(&v, "probe-blind", NULL);
	fb_verdict_release(&v);
	both(&v, RAW, 80, 40);
	both(&v, FILE_READ, 80, 80);
	both(&v, "bonnie.ran_create", 1000, 500);
	judge(&v, "probe-only", NULL);
	fb_verdict_release(&v);
	/* A rewrite does: it reads and writes a file. */
	both(&v, RAW, 80, 40);
	both(&v, FILE_READ, 80, 80);
	both(&v, "bonnie.rewrite", 40, 20);
	judge(&v, "io-slower", NULL);
	fb_verdict_release(&v);
}

static void nothing_from_nothing(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	judge(&v, "not-enough", NULL);
	fb_verdict_release(&v);
	fb_verdict_add(&v, RAW, 'a', 80);
	fb_verdict_add(&v, FILE_READ, 'b', 40);
	judge(&v, "not-enough", NULL);
	assert_true(says(&v, "no figure in common"));
	fb_verdict_release(&v);
}

/* A noisy idle window is evidence, and no figure that has to be the same. */
static void idle_is_no_headline(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 80);
	both(&v, FILE_READ, 80, 80);
	both(&v, "idle.interrupts", 100, 130);
	judge(&v, "no-change", NULL);
	fb_verdict_release(&v);
}

static void faster_is_not_slower(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, RAW, 80, 120);
	both(&v, FILE_READ, 80, 80);
	judge(&v, "faster", NULL);
	fb_verdict_release(&v);
}

/* One option that costs time, one that cannot matter, one that is new. */
static void kconfig_shortened(void **state)
{
	(void)state;
	struct fb_verdict v = { .axis = FB_AXIS_KERNEL };
	static const char a[] = "# Automatically generated\nCONFIG_HZ=250\n"
				"# CONFIG_PREEMPT is not set\nCONFIG_NET=y\n"
				"CONFIG_EXT4_FS=y\n",
			  b[] = "CONFIG_EXT4_FS=y\nCONFIG_HZ=1000\r\n"
				"CONFIG_PREEMPT=y\n# CONFIG_NET is not set\n"
				"CONFIG_BLK_NEW=y\n";
	both(&v, FILE_READ, 80, 40);
	struct fb_kconfig_counts n = fb_verdict_add_kconfig(&v, a, b);
	assert_int_equal(n.added, 2);
	assert_int_equal(n.harmless, 1);
	assert_int_equal(n.unknown, 1);
	judge(&v, "config-drift", NULL);
	assert_true(says(&v, "kconfig CONFIG_HZ: 250, then 1000"));
	assert_true(says(&v, "kconfig CONFIG_PREEMPT: n, then y"));
	fb_verdict_release(&v);
	v.axis = FB_AXIS_KCONFIG; /* then it is the axis */
	both(&v, FILE_READ, 80, 40);
	fb_verdict_add_kconfig(&v, a, b);
	judge(&v, "io-slower", NULL);
	fb_verdict_release(&v);
	n = fb_verdict_add_kconfig(&v, "", "\n=\n# CONFIG_ is not set");
	assert_int_equal(n.added, 0);
	fb_verdict_release(&v);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(kconfig_shortened),
	cmocka_unit_test(clock_in_one_arm),
	cmocka_unit_test(clock_near_misses),
	cmocka_unit_test(cache_artifact),
	cmocka_unit_test(config_drift_comes_before_blame),
	cmocka_unit_test(config_drift_near_misses),
	cmocka_unit_test(probe_only_causes),
	cmocka_unit_test(probe_only_near_miss),
	cmocka_unit_test(device_slower),
	cmocka_unit_test(cpu_bound_causes),
	cmocka_unit_test(cpu_bound_near_miss),
	cmocka_unit_test(write_and_read_path),
	cmocka_unit_test(interference_and_its_share),
	cmocka_unit_test(stopping_the_suspect),
	cmocka_unit_test(one_disk_does_not_blame_another),
	cmocka_unit_test(other_file_figures),
	cmocka_unit_test(nothing_from_nothing),
	cmocka_unit_test(idle_is_no_headline),
	cmocka_unit_test(faster_is_not_slower),
};

UNIT_MAIN(tests)
