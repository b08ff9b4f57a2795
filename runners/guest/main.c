/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probe as a command on a bare machine. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "counters.h"
#include "disk.h"
#include "guest.h"
#include "output.h"
#include "workload.h"

struct options {
	const char *dev, *dir, *to;
	bool write;
	struct params p;
	struct report r;
};

static const char help[] =
	"usage: firstbad-probe --disk DEVICE [OPTION]... [WORKLOAD]...\n"
	"       firstbad-probe --dir DIRECTORY --write [OPTION]... "
	"[WORKLOAD]...\n"
	"\n"
	"Measures a disk as hdparm, bonnie++ and dd do. Without a WORKLOAD:\n"
	"hdparm.cached_read and hdparm.buffered_read.\n"
	"\n"
	"  --disk DEVICE    the block device; read only, unless told "
	"otherwise\n"
	"  --dir DIRECTORY  a directory on a mounted file system, for bonnie\n"
	"                   and dd\n"
	"  --write          permits workloads that write; a DEVICE that is\n"
	"                   mounted, swap or held is refused all the same, "
	"any\n"
	"                   other loses what is on it\n"
	"  --to DEVICE      where copy.raw copies to; its last quarter is "
	"lost\n"
	"  --seconds N      length of a timed read (3)\n"
	"  --file-mib N     size of the file of bonnie and dd (twice the "
	"memory)\n"
	"  --char-kib N     of bonnie's byte-at-a-time tests (3072)\n"
	"  --files N        of bonnie's file tests, in units of 1024 (16)\n"
	"  --bs BYTES       dd's block size (1024)\n"
	"  --keep-cache     drop no caches, as the tools themselves; what "
	"then\n"
	"                   came from a cache is flagged\n"
	"  --format F       text (as the tools print it), csv (bonnie++'s), "
	"json\n"
	"  --list           the workloads\n"
	"  --help           this text\n";

static int usage(const char *why, const char *what)
{
	if (why)
		fprintf(stderr, "firstbad-probe: %s%s\n", why, what);
	fputs("firstbad-probe: --help tells more\n", stderr);
	return 1;
}

static int list(void)
{
	for (const struct workload *w = workloads; w->name; w++)
		printf("%-24s %s%s\n", w->name, w->family,
		       w->flags & WRITES ? ", writes" : "");
	return 0;
}

static bool positive(const char *text, unsigned *out)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);
	*out = (unsigned)v;
	return *text >= '0' && *text <= '9' && !*end && v > 0 && v <= 1u << 30;
}

static bool choose_format(const char *name, enum format *out)
{
	static const char *const names[] = { "text", "csv", "json" };
	for (int i = 0; i < 3; i++) {
		if (strcmp(names[i], name) == 0) {
			*out = (enum format)i;
			return true;
		}
	}
	return false;
}

/* The name in diskstats, by number: links and by-id names are no help. */
static int name_by_number(dev_t number, struct disk *d)
{
	FILE *f = fopen("/proc/partitions", "re");
	char line[128], kname[32];
	unsigned major, minor;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%u %u %*u %31s", &major, &minor, kname) !=
			    3 ||
		    makedev(major, minor) != number)
			continue;
		fclose(f);
		snprintf(d->kname, sizeof(d->kname), "%s", kname);
		return 0;
	}
	if (f)
		fclose(f);
	return -1;
}

/* A file system's own number may be anonymous: its mount tells the device. */
static int device_below(dev_t fs, struct disk *d)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[2048], source[256];
	unsigned major, minor;
	struct stat st;
	int rc = -1;
	while (f && rc && fgets(line, sizeof(line), f)) {
		const char *rest = strstr(line, " - ");
		if (sscanf(line, "%*d %*d %u:%u", &major, &minor) == 2 &&
		    makedev(major, minor) == fs && rest &&
		    sscanf(rest, " - %15s %255s", d->fs, source) == 2 &&
		    stat(source, &st) == 0 && S_ISBLK(st.st_mode)) {
			snprintf(d->dev, sizeof(d->dev), "%.63s", source);
			rc = name_by_number(st.st_rdev, d);
		}
	}
	if (f)
		fclose(f);
	return rc;
}

static int use_device(const char *path, struct report *r, struct disk *d)
{
	struct stat st;
	if (stat(path, &st))
		return report_error(r, "%s: %s", path, strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return report_error(r, "%s is not a block device", path);
	if (strlen(path) >= sizeof(d->dev))
		return report_error(r, "%s: the name is too long", path);
	strcpy(d->dev, path);
	strcpy(d->fs, "raw");
	if (name_by_number(st.st_rdev, d))
		return report_error(r, "%s is not in /proc/partitions", path);
	return 0;
}

static int use_directory(const char *path, struct report *r, struct disk *d)
{
	struct stat st;
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return report_error(r, "%s is not a directory", path);
	if (strlen(path) >= sizeof(d->dir))
		return report_error(r, "%s: the name is too long", path);
	strcpy(d->dir, path);
	if (device_below(st.st_dev, d))
		return report_error(r, "%s is not on a block device", path);
	return 0;
}

static bool selected(const struct workload *w, char **names)
{
	if (!*names)
		return strcmp(w->name, "hdparm.cached_read") == 0 ||
		       strcmp(w->name, "hdparm.buffered_read") == 0;
	for (; *names; names++)
		if (strcmp(w->name, *names) == 0 ||
		    strcmp(w->family, *names) == 0)
			return true;
	return false;
}

static bool known(char *name)
{
	char *one[] = { name, NULL };
	for (const struct workload *w = workloads; w->name; w++)
		if (selected(w, one))
			return true;
	return false;
}

static int may_run(struct options *o, const struct workload *w, struct task *t)
{
	struct report *r = &o->r;
	if (!(w->flags & WRITES))
		return o->dev ?
			       0 :
			       report_error(r, "%s reads a device: give --disk",
					    w->name);
	if (!o->write)
		return report_error(r,
				    "%s writes to %s: give --write to "
				    "permit that",
				    w->name, t->d->dev);
	if (w->flags & ON_SCRATCH) {
		if (!o->to)
			return report_error(r, "%s wants --to DEVICE", w->name);
		return disk_may_be_written(r, t->target->dev);
	}
	return o->dir ? 0 : disk_may_be_written(r, t->d->dev);
}

static int measure(struct options *o, char **names)
{
	struct disk d = { .name = "disk" }, to = { .name = "to" };
	struct task t = { .r = &o->r, .p = &o->p, .d = &d, .target = &d };
	if (o->dev ? use_device(o->dev, &o->r, &d) :
		     use_directory(o->dir, &o->r, &d))
		return 1;
	if (o->to) {
		if (use_device(o->to, &o->r, &to))
			return 1;
		t.target = &to;
	}
	/* Refuse what is not possible before the first test, not after. */
	for (const struct workload *w = workloads; w->name; w++)
		if (selected(w, names) && may_run(o, w, &t))
			return 1;
	report_system(&o->r);
	report_settings(&o->r, &d);
	report_text(&o->r, "\n%s:\n", o->dev ? o->dev : o->dir);
	int rc = 0;
	for (const struct workload *w = workloads; rc == 0 && w->name; w++) {
		t.arg = w->arg;
		if (selected(w, names))
			rc = w->run(&t);
	}
	if (o->dir) {
		char path[300];
		snprintf(path, sizeof(path), "%s/" FILE_NAME, o->dir);
		unlink(path);
	}
	/* What was complete is shown even when something failed later. */
	if (o->r.format == JSON)
		output_json();
	else
		output_bonnie(&o->p, o->r.format == CSV);
	return rc ? 1 : 0;
}

static int command(int argc, char **argv)
{
	enum {
		DISK = 1,
		DIR,
		WRITE,
		TO,
		SECONDS,
		FILE_MIB,
		CHAR_KIB,
		FILES,
		BS,
		KEEP,
		FORMAT,
		LIST,
		HELP
	};
	static const struct option longs[] = {
		{ "disk", 1, NULL, DISK },
		{ "dir", 1, NULL, DIR },
		{ "write", 0, NULL, WRITE },
		{ "to", 1, NULL, TO },
		{ "seconds", 1, NULL, SECONDS },
		{ "file-mib", 1, NULL, FILE_MIB },
		{ "char-kib", 1, NULL, CHAR_KIB },
		{ "files", 1, NULL, FILES },
		{ "bs", 1, NULL, BS },
		{ "keep-cache", 0, NULL, KEEP },
		{ "format", 1, NULL, FORMAT },
		{ "list", 0, NULL, LIST },
		{ "help", 0, NULL, HELP },
		{ 0 },
	};
	struct memory m;
	memory_read("/proc", &m);
	struct options o = {
		.p = { .seconds = 3,
		       .char_kib = 3072,
		       .files = 16,
		       .dd_block = 1024,
		       .hz = 1,
		       .file_mib = (unsigned)(m.total / 1024 * 2 + 1) },
	};
	bool ok = true;
	for (int c; ok && (c = getopt_long(argc, argv, "", longs, NULL)) > 0;) {
		switch (c) {
		case DISK:
			o.dev = optarg;
			break;
		case DIR:
			o.dir = optarg;
			break;
		case TO:
			o.to = optarg;
			break;
		case WRITE:
			o.write = true;
			break;
		case KEEP:
			o.p.keep_cache = true;
			break;
		case SECONDS:
			o.p.seconds = atof(optarg);
			ok = o.p.seconds > 0;
			break;
		case FILE_MIB:
			ok = positive(optarg, &o.p.file_mib);
			break;
		case CHAR_KIB:
			ok = positive(optarg, &o.p.char_kib);
			break;
		case FILES:
			ok = positive(optarg, &o.p.files);
			break;
		case BS:
			ok = positive(optarg, &o.p.dd_block);
			break;
		case FORMAT:
			ok = choose_format(optarg, &o.r.format);
			break;
		case LIST:
			return list();
		case HELP:
			fputs(help, stdout);
			return 0;
		default:
			return usage(NULL, NULL);
		}
		if (!ok)
			return usage("cannot use the value ", optarg);
	}
	if (!o.dev == !o.dir)
		return usage("give either --disk or --dir", "");
	for (char **name = argv + optind; *name; name++)
		if (!known(*name))
			return usage("there is no workload ", *name);
	return measure(&o, argv + optind);
}

int main(int argc, char **argv)
{
	if (getpid() == 1)
		guest();
	return command(argc, argv);
}
