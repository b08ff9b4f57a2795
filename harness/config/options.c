/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "errors.h"
#include "profile.h"
#include "text.h"

static const char *const better[] = { "auto", "higher", "lower", NULL };
static const char *const accels[] = { "auto", "kvm", "tcg", NULL };
static const char *const clocks[] = { "auto", "host", "icount", NULL };
static const char *const switches[] = { "auto", "on", "off", NULL };
static const char *const runners[] = { "qemu", "exec", NULL };
static const char *const buses[] = { "ahci", "ata", "virtio",
				     "nvme", "usb", NULL };

#define AT(member) offsetof(struct fb_config, member)
#define DISK(member) offsetof(struct fb_disk, member)
#define COMMAND(member) offsetof(struct fb_user_command, member)
#define DAY 86400.0

const struct option config_options[] = {
	{ "repo", OPT_STRING, AT(repo), 0, 0, NULL, "\".\"",
	  "the kernel's git repository; its work tree is never touched" },
	{ "metric", OPT_STRING, AT(metric), 0, 0, NULL,
	  "\"hdparm.buffered_read\"",
	  "what is compared, with several disks DISK/WORKLOAD.FIGURE; auto: "
	  "what differs most clearly at the end points" },
	{ "surrogate", OPT_STRING, AT(surrogate), 0, 0, NULL, "\"auto\"",
	  "a counter to step by where the metric is noisy (\"off\": never); "
	  "the "
	  "metric itself confirms the answer" },
	{ "proof", OPT_BOOL, AT(proof), 0, 0, NULL, "true",
	  "measure bad with the culprit reverted, and good with it applied" },
	{ "better", OPT_CHOICE, AT(better), 0, 0, better, "\"auto\"",
	  "which direction of the metric is better" },
	{ "threshold", OPT_DOUBLE, AT(threshold), 0.1, 99, NULL, "5",
	  "smallest change for the worse that counts, in percent" },
	{ "confidence", OPT_DOUBLE, AT(confidence), 0.5, 0.9999, NULL, "0.99",
	  "how sure each decision has to be" },
	{ "deadline", OPT_DOUBLE, AT(deadline), 0, 365 * DAY, NULL, "0",
	  "seconds for a whole bisection; 0: no limit" },
	{ "max_builds", OPT_UINT, AT(max_builds), 0, 1e6, NULL, "0",
	  "kernels to build at most; 0: no limit" },
	{ "samples.endpoint", OPT_UINT, AT(samples.endpoint), 2, 1000, NULL,
	  "5", "boots of the good and of the bad end point at first" },
	{ "samples.endpoint_max", OPT_UINT, AT(samples.endpoint_max), 2, 10000,
	  NULL, "200", "and at most, before the drop is called not there" },
	{ "samples.min", OPT_UINT, AT(samples.min), 1, 1000, NULL, "1",
	  "boots of every tested commit" },
	{ "samples.max", OPT_UINT, AT(samples.max), 0, 10000, NULL, "0",
	  "boots of a commit that is hard to tell, at most; 0: no limit" },
	{ "samples.references", OPT_CHOICE, AT(samples.references), 0, 0,
	  switches, "\"auto\"",
	  "a boot of the good end point before each new kernel, against drift; "
	  "auto: unless the guest's clock counts instructions" },
	{ "samples.failures", OPT_UINT, AT(samples.failures), 1, 100, NULL, "2",
	  "failed boots after which a commit is skipped" },
	{ "build.kconfig", OPT_LIST, AT(build.kconfig), 0, 0, NULL,
	  "[\"qemu\"]",
	  "Kconfig fragments merged on tinyconfig: names or paths" },
	{ "build.make", OPT_LIST, AT(build.make), 0, 0, NULL, "[]",
	  "more arguments for make, e.g. \"CC=gcc-11\"" },
	{ "build.jobs", OPT_UINT, AT(build.jobs), 0, 4096, NULL, "0",
	  "make -j; 0: one for each processor" },
	{ "build.timeout", OPT_DOUBLE, AT(build.timeout), 1, 7 * DAY, NULL,
	  "7200", "seconds after which a build has failed" },
	{ "machine.qemu", OPT_STRING, AT(machine.qemu), 0, 0, NULL,
	  "\"qemu-system-x86_64\"", "the program" },
	{ "machine.accel", OPT_CHOICE, AT(machine.accel), 0, 0, accels,
	  "\"auto\"", "auto: KVM when it is usable" },
	{ "machine.clock", OPT_CHOICE, AT(machine.clock), 0, 0, clocks,
	  "\"auto\"",
	  "auto: the instruction clock without KVM, but the host's when a disk "
	  "has a profile" },
	{ "machine.mix_clocks", OPT_BOOL, AT(machine.mix_clocks), 0, 0, NULL,
	  "false",
	  "permits the instruction clock with a profile: the one counts "
	  "instructions, the other the host's seconds" },
	{ "machine.memory_mib", OPT_UINT, AT(machine.memory_mib), 32, 1 << 20,
	  NULL, "256", "guest memory" },
	{ "machine.cpus", OPT_UINT, AT(machine.cpus), 1, 255, NULL, "1",
	  "guest processors; the qemu fragment builds for one" },
	{ "machine.cmdline", OPT_STRING, AT(machine.cmdline), 0, 0, NULL,
	  "\"\"", "appended to the kernel command line" },
	{ "machine.boot_timeout", OPT_DOUBLE, AT(machine.boot_timeout), 1, DAY,
	  NULL, "60", "seconds until the probe must have started" },
	{ "machine.silence_timeout", OPT_DOUBLE, AT(machine.silence_timeout), 1,
	  DAY, NULL, "180", "seconds without a word from the probe" },
	{ "workloads", OPT_LIST, AT(workloads), 0, 0, NULL,
	  "[\"hdparm\", \"bonnie.block_write\", \"bonnie.rewrite\", "
	  "\"bonnie.block_read\"]",
	  "what the culprit and its parent are measured with (workloads, their "
	  "families, commands); the search runs only what gives the metric" },
	{ "read_seconds", OPT_DOUBLE, AT(read_seconds), 0.1, 3600, NULL, "3",
	  "length of an hdparm style read" },
	{ "file_mib", OPT_UINT, AT(file_mib), 0, 1 << 20, NULL, "0",
	  "file of bonnie, dd and copy; 0: twice the guest's memory" },
	{ "char_kib", OPT_UINT, AT(char_kib), 1, 1 << 20, NULL, "3072",
	  "of bonnie's byte-at-a-time tests" },
	{ "files", OPT_UINT, AT(files), 1, 1 << 10, NULL, "16",
	  "of bonnie's tests of many files, in units of 1024" },
	{ "dd_block", OPT_UINT, AT(dd_block), 1, 64 << 20, NULL, "1024",
	  "block size of dd.write and dd.write_fsync, in bytes" },
	{ "timeline_hz", OPT_UINT, AT(timeline_hz), 0, 10, NULL, "1",
	  "vmstat rows a second inside each window; 0: none" },
	{ "keep_cache", OPT_BOOL, AT(keep_cache), 0, 0, NULL, "false",
	  "drop no caches, as the tools themselves; figures that came from a "
	  "cache are then called so" },
	{ "knobs", OPT_LIST, AT(knobs), 0, 0, NULL, "[]",
	  "\"PATH=VALUE\": set in the guest before anything is measured; below "
	  "/sys/block/DISK of every disk (\"queue/read_ahead_kb=8\"), or "
	  "absolute" },
	{ "overlay", OPT_LIST, AT(overlay), 0, 0, NULL, "[]",
	  "directories and archives that are added to the guest's root" },
	{ "runner.kind", OPT_CHOICE, AT(runner.kind), 0, 0, runners, "\"qemu\"",
	  "exec: your own command measures" },
	{ "runner.command", OPT_LIST, AT(runner.command), 0, 0, NULL, "[]",
	  "of the exec runner: program and arguments, without a shell" },
	{ "runner.build", OPT_BOOL, AT(runner.build), 0, 0, NULL, "false",
	  "of the exec runner: build a kernel for it first" },
	{ "runner.timeout", OPT_DOUBLE, AT(runner.timeout), 1, 7 * DAY, NULL,
	  "3600", "of the exec runner: seconds for one sample" },
	{ 0 },
};

const struct option disk_options[] = {
	{ "name", OPT_STRING, DISK(name), 0, 0, NULL, "null",
	  "letters and digits; prefix of the disk's metrics" },
	{ "bus", OPT_CHOICE, DISK(bus), 0, 0, buses, "\"ahci\"",
	  "ahci: SATA by AHCI; ata: parallel ATA by PIIX" },
	{ "size_mib", OPT_UINT, DISK(size_mib), 8, 1 << 24, NULL, "2048",
	  "size of the emulated disk" },
	{ "filesystem", OPT_CHOICE, DISK(filesystem), 0, 0, fb_filesystem_names,
	  "\"ext4\"", "what is on it; raw: nothing" },
	{ "profile", OPT_CHOICE, DISK(profile), 0, 0, fb_profile_names,
	  "\"none\"", "the disk that it is slowed down to, see README.md" },
	{ "mount_options", OPT_STRING, DISK(mount_options), 0, 0, NULL, "\"\"",
	  "as of mount -o" },
	{ 0 },
};

const struct option command_options[] = {
	{ "name", OPT_STRING, COMMAND(name), 0, 0, NULL, "null",
	  "letters and digits; its metrics are NAME.FIGURE" },
	{ "run", OPT_LIST, COMMAND(argv), 0, 0, NULL, "[]",
	  "program and arguments, without a shell; FIRSTBAD_DEV, FIRSTBAD_DIR "
	  "and FIRSTBAD_FILE_MIB are in its environment" },
	{ "figures", OPT_LIST, COMMAND(figures), 0, 0, NULL, "[]",
	  "\"FIGURE=/json/pointer\" into its output; without any it prints "
	  "FIGURE=VALUE lines" },
	{ "mount", OPT_BOOL, COMMAND(mount), 0, 0, NULL, "true",
	  "run it in the disk's file system, else the disk is not mounted" },
	{ "timeout", OPT_DOUBLE, COMMAND(timeout), 1, DAY, NULL, "150",
	  "seconds after which it has failed" },
	{ 0 },
};

static int check_name(const char *name, const char *what, struct fb_error *err)
{
	size_t n = name ? strlen(name) : 0;
	bool ok = n > 0 && n <= 16 && isalpha((unsigned char)name[0]);
	for (size_t i = 0; i < n; i++)
		ok = ok && isalnum((unsigned char)name[i]);
	if (ok)
		return 0;
	return fb_error_set(err, FB_E_USAGE,
			    "each %s wants a \"name\" of 1 to 16 letters and "
			    "digits, a letter first",
			    what);
}

/* QEMU's ids begin with a letter; the serial is the name with "FB" before. */
static int check_disk(const void *object, struct fb_error *err)
{
	const struct fb_disk *d = object;
	int rc = check_name(d->name, "disk", err);
	if (rc == 0 && (strpbrk(d->mount_options, " \t\r\n") ||
			strlen(d->mount_options) > 127))
		rc = fb_error_set(err, FB_E_USAGE,
				  "disk \"%s\": mount_options wants words with "
				  "commas between them, and no spaces",
				  d->name);
	return rc;
}

static int check_command(const void *object, struct fb_error *err)
{
	const struct fb_user_command *c = object;
	int rc = check_name(c->name, "command", err);
	if (rc == 0 && (c->argv.n == 0 || c->argv.n > 32))
		rc = fb_error_set(err, FB_E_USAGE,
				  "command \"%s\" wants \"run\": 1 to 32 "
				  "words",
				  c->name);
	for (size_t i = 0; rc == 0 && i < c->argv.n; i++)
		if (strchr(c->argv.v[i], '\n') || strlen(c->argv.v[i]) > 4000)
			rc = fb_error_set(err, FB_E_USAGE,
					  "command \"%s\": a word has a line "
					  "break or is too long",
					  c->name);
	for (size_t i = 0; rc == 0 && i < c->figures.n; i++)
		if (!strstr(c->figures.v[i], "=/"))
			rc = fb_error_set(err, FB_E_USAGE,
					  "command \"%s\": figures are "
					  "\"FIGURE=/json/pointer\"",
					  c->name);
	return rc;
}

const struct option_list option_lists[] = {
	{ "disks", disk_options, sizeof(struct fb_disk), AT(disks), AT(n_disks),
	  FB_DISKS_MAX, fb_config_release_disks, check_disk },
	{ "commands", command_options, sizeof(struct fb_user_command),
	  AT(commands), AT(n_commands), 8, fb_config_release_commands,
	  check_command },
	{ 0 },
};

const struct option *option_find(const struct option *table, const char *key)
{
	for (; table->key; table++)
		if (strcmp(table->key, key) == 0)
			return table;
	return NULL;
}

static int set_number(const struct option *o, void *at, const cJSON *value,
		      struct fb_error *err)
{
	double v = value->valuedouble;
	bool whole = o->type == OPT_UINT;
	if (!cJSON_IsNumber(value) || !(v >= o->min && v <= o->max) ||
	    (whole && v != floor(v)))
		return fb_error_set(err, FB_E_USAGE,
				    "wants a %snumber from %g to %g",
				    whole ? "whole " : "", o->min, o->max);
	if (whole)
		*(unsigned *)at = (unsigned)v;
	else
		*(double *)at = v;
	return 0;
}

static int set_string(const struct option *o, void *at, const cJSON *value,
		      struct fb_error *err)
{
	char **s = at;
	bool may_be_null = strcmp(o->fallback, "null") == 0;
	if (!cJSON_IsString(value) && !(may_be_null && cJSON_IsNull(value)))
		return fb_error_set(err, FB_E_USAGE, "wants a string");
	free(*s);
	*s = cJSON_IsNull(value) ? NULL : fb_strdup(value->valuestring);
	return 0;
}

static int set_list(void *at, const cJSON *value, struct fb_error *err)
{
	const cJSON *item;
	if (!cJSON_IsArray(value))
		return fb_error_set(err, FB_E_USAGE, "wants a list of strings");
	cJSON_ArrayForEach(item, value)
		if (!cJSON_IsString(item))
			return fb_error_set(err, FB_E_USAGE,
					    "wants a list of strings");
	fb_strv_release(at);
	cJSON_ArrayForEach(item, value)
		fb_strv_add(at, item->valuestring);
	return 0;
}

static int set_choice(const struct option *o, void *at, const cJSON *value,
		      struct fb_error *err)
{
	struct fb_strv names = { 0 };
	for (int i = 0; o->choices[i]; i++) {
		if (cJSON_IsString(value) &&
		    strcmp(o->choices[i], value->valuestring) == 0) {
			*(int *)at = i;
			fb_strv_release(&names);
			return 0;
		}
		fb_strv_addf(&names, "%s%s%s", i ? names.v[i - 1] : "",
			     i ? ", " : "", o->choices[i]);
	}
	fb_error_set(err, FB_E_USAGE, "wants one of: %s", names.v[names.n - 1]);
	fb_strv_release(&names);
	return err->code;
}

int option_set(const struct option *o, void *base, const cJSON *value,
	       struct fb_error *err)
{
	void *at = (char *)base + o->offset;
	switch (o->type) {
	case OPT_STRING:
		return set_string(o, at, value, err);
	case OPT_LIST:
		return set_list(at, value, err);
	case OPT_UINT:
	case OPT_DOUBLE:
		return set_number(o, at, value, err);
	case OPT_CHOICE:
		return set_choice(o, at, value, err);
	case OPT_BOOL:
		if (!cJSON_IsBool(value))
			return fb_error_set(err, FB_E_USAGE,
					    "wants true or false");
		*(bool *)at = cJSON_IsTrue(value);
		return 0;
	}
	return 0;
}

void option_set_fallbacks(const struct option *table, void *base)
{
	for (; table->key; table++) {
		struct fb_error err = FB_ERROR_INIT;
		cJSON *value = cJSON_Parse(table->fallback);
		int rc = option_set(table, base, value, &err);
		assert(rc == 0);
		(void)rc;
		cJSON_Delete(value);
	}
}

cJSON *option_get(const struct option *o, const void *base)
{
	const void *at = (const char *)base + o->offset;
	const struct fb_strv *list = at;
	switch (o->type) {
	case OPT_STRING:
		return *(char *const *)at ?
			       cJSON_CreateString(*(char *const *)at) :
			       cJSON_CreateNull();
	case OPT_LIST:
		return cJSON_CreateStringArray(fb_strv_args(list),
					       (int)list->n);
	case OPT_UINT:
		return cJSON_CreateNumber(*(const unsigned *)at);
	case OPT_DOUBLE:
		return cJSON_CreateNumber(*(const double *)at);
	case OPT_CHOICE:
		return cJSON_CreateString(o->choices[*(const int *)at]);
	case OPT_BOOL:
		return cJSON_CreateBool(*(const bool *)at);
	}
	return NULL;
}
