/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "load.h"
#include "unit.h"

/* Expects the text to be refused with a message that holds all parts. */
static void refused(const char *text, const char *a, const char *b)
{
	struct fb_config cfg;
	struct fb_error err = FB_ERROR_INIT;
	fb_config_init(&cfg);
	int rc = fb_config_parse(&cfg, text, "f.json", &err);
	if (rc == 0)
		rc = fb_config_check(&cfg, &err);
	assert_int_equal(rc, FB_E_USAGE);
	assert_message(err, a);
	assert_message(err, b);
	fb_error_release(&err);
	fb_config_release(&cfg);
}

static void accepted(struct fb_config *cfg, const char *text)
{
	struct fb_error err = FB_ERROR_INIT;
	fb_config_init(cfg);
	assert_ok(fb_config_parse(cfg, text, "f.json", &err), err);
	assert_ok(fb_config_check(cfg, &err), err);
}

static void defaults_are_valid(void **state)
{
	(void)state;
	struct fb_config cfg;
	accepted(&cfg, "{}");
	assert_string_equal(cfg.metric, "hdparm.buffered_read");
	assert_int_equal(cfg.n_disks, 1);
	assert_int_equal(cfg.machine.clock, FB_CLOCK_AUTO);
	fb_config_release(&cfg);
}

static void comments_are_allowed(void **state)
{
	(void)state;
	struct fb_config cfg;
	accepted(&cfg, "// a\n{ /* b\n c */ \"repo\": \"/x//y/*z*/\", // \"\n"
		       "\"build\": {\"jobs\": 3} }\n");
	assert_string_equal(cfg.repo, "/x//y/*z*/");
	assert_int_equal(cfg.build.jobs, 3);
	fb_config_release(&cfg);
}

static void messages_have_line_and_key(void **state)
{
	(void)state;
	refused("{\n\"repo\": \".\",\n\"thresold\": 3\n}", "f.json:3",
		"thresold");
	refused("{\"build\": {\n\"jobs\": -1}}", "f.json:2", "build.jobs");
	refused("{\"build\": {\n\"jobs\": 1.5}}", "f.json:2", "whole number");
	refused("{\"build\": 3}", "f.json:1", "wants an object");
	refused("{\n\n\"machine\": {\"clock\": \"sundial\"}}", "f.json:3",
		"auto, host, icount");
	refused("{\"repo\": \"jobs\",\n \"build\": {\n\n\"jobs\": \"x\"}}",
		"f.json:4", "build.jobs");
	refused("{\n\"disks\": [\n{\"name\": \"a\",\n\"bus\": \"scsi\"}]}",
		"f.json:4", "ahci, ata");
	refused("{\n\"a\": ,\n}", "f.json:2", "not JSON");
	refused("{}{}", "f.json:1", "not JSON");
	refused("[]", "f.json", "object");
}

static void metric_must_be_produced(void **state)
{
	(void)state;
	refused("{\"metric\": \"hdparm.speed\"}", "hdparm.speed",
		"hdparm.buffered_read");
	refused("{\"workloads\": [\"bonnie\"]}", "hdparm.buffered_read",
		"bonnie.block_read");
	refused("{\"workloads\": [\"bonny\"]}", "bonny", "workload");
	refused("{\"disks\": [{\"name\":\"a\"},{\"name\":\"b\"}]}", "2 disks",
		"a/hdparm.buffered_read");
	refused("{\"metric\": \"c/hdparm.buffered_read\", \"disks\": "
		"[{\"name\":\"a\"},{\"name\":\"b\"}]}",
		"no disk", "\"c\"");
	struct fb_config cfg;
	accepted(&cfg, "{\"metric\": \"b/bonnie.rewrite.request_kib\","
		       "\"disks\": [{\"name\":\"a\"},{\"name\":\"b\","
		       "\"bus\":\"ata\"}]}");
	assert_int_equal(cfg.disks[1].bus, FB_BUS_ATA);
	fb_config_release(&cfg);
}

static void disks_are_checked(void **state)
{
	(void)state;
	refused("{\"disks\": []}", "no disk", "");
	refused("{\"disks\": [{\"bus\": \"ata\"}]}", "name", "");
	refused("{\"disks\": [{\"name\": \"a b\"}]}", "name", "");
	refused("{\"disks\": [{\"name\": \"1a\"}]}", "letter first", "");
	refused("{\"disks\": [{\"name\": \"a\", \"filesystem\": \"ext9\"}]}",
		"xfs, btrfs, raw", "");
	refused("{\"machine\": {\"qemu\": null}}", "machine.qemu",
		"wants a string");
	refused("{\"disks\": [{\"name\": \"abcdefghijklmnopq\"}]}", "16", "");
	refused("{\"metric\": \"a/hdparm.buffered_read\", \"disks\": "
		"[{\"name\":\"a\"},{\"name\":\"A\"}]}",
		"two disks", "");
	refused("{\"disks\": [{\"name\": \"a\", \"size_mib\": 64}]}",
		"too small", "file of");
	refused("{\"machine\": {\"clock\": \"icount\"}, \"disks\": "
		"[{\"name\": \"a\", \"profile\": \"ide-2007\"}]}",
		"instructions", "mix_clocks");
}

static void commands_are_checked(void **state)
{
	(void)state;
	struct fb_config cfg;
	accepted(&cfg, "{\"metric\": \"fio.iops\", \"workloads\": [\"fio\"], "
		       "\"commands\": [{\"name\": \"fio\", \"run\": "
		       "[\"fio\"]}]}");
	/* What a command needs of the kernel comes with it, once. */
	struct fb_strv names = { 0 };
	fb_config_fragments(&cfg, &names);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[1], "userspace");
	fb_strv_release(&names);
	fb_config_release(&cfg);
	refused("{\"metric\": \"fio.iops\"}", "fio.iops", "there are");
	refused("{\"commands\": [{\"name\": \"a\"}]}", "run", "");
	refused("{\"commands\": [{\"name\": \"a\", \"run\": [\"x\\ny\"]}]}",
		"line break", "");
	refused("{\"commands\": [{\"name\": \"a\", \"run\": [\"x\"], "
		"\"figures\": [\"b\"]}]}",
		"json/pointer", "");
	refused("{\"commands\": [{\"name\": \"a\", \"run\": [\"x\"], "
		"\"timeout\": 500}]}",
		"silence_timeout", "");
	refused("{\"workloads\": [\"hdparm\", \"nothing\"]}", "nothing", "");
}

static void exec_needs_a_command(void **state)
{
	(void)state;
	refused("{\"runner\": {\"kind\": \"exec\"}}", "--exec", "");
	struct fb_config cfg;
	accepted(&cfg, "{\"metric\": \"any.name\", \"runner\": {\"kind\": "
		       "\"exec\", \"command\": [\"true\"]}}");
	fb_config_release(&cfg);
}

static void dump_reads_back(void **state)
{
	(void)state;
	struct fb_config a, b;
	accepted(&a, "{\"threshold\": 12.5, \"build\": {\"make\": "
		     "[\"CC=gcc-11\", \"V=1\"]}, \"file_mib\": 64, \"disks\": "
		     "[{\"name\": \"x\", \"size_mib\": 199}],"
		     "\"commands\": [{\"name\": \"fio\", \"run\": [\"fio\", "
		     "\"job\"], \"figures\": [\"iops=/jobs/0/read/iops\"]}]}");
	char *text = fb_config_dump(&a);
	accepted(&b, text);
	char *again = fb_config_dump(&b);
	assert_string_equal(text, again);
	assert_true(b.threshold == 12.5);
	assert_string_equal(b.build.make.v[1], "V=1");
	assert_int_equal(b.disks[0].size_mib, 199);
	assert_string_equal(b.commands[0].argv.v[1], "job");
	free(text);
	free(again);
	fb_config_release(&a);
	fb_config_release(&b);
}

static void commented_file_reads_back(void **state)
{
	(void)state;
	struct fb_config a, b;
	char *text = NULL;
	size_t size;
	accepted(&a, "{}");
	FILE *f = open_memstream(&text, &size);
	fb_config_write_commented(&a, f);
	fclose(f);
	accepted(&b, text);
	char *x = fb_config_dump(&a), *y = fb_config_dump(&b);
	assert_string_equal(x, y);
	free(x);
	free(y);
	free(text);
	fb_config_release(&a);
	fb_config_release(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(defaults_are_valid),
	cmocka_unit_test(comments_are_allowed),
	cmocka_unit_test(messages_have_line_and_key),
	cmocka_unit_test(metric_must_be_produced),
	cmocka_unit_test(disks_are_checked),
	cmocka_unit_test(commands_are_checked),
	cmocka_unit_test(exec_needs_a_command),
	cmocka_unit_test(dump_reads_back),
	cmocka_unit_test(commented_file_reads_back),
};

UNIT_MAIN(tests)
