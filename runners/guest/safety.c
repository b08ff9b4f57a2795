/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May this block device be written to? Everything that uses a disk without
 * having it open exclusively is looked for by device number, the disk's
 * partitions included.
 */
#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PATH_SIZE 128

/* A disk and its partitions, by number. */
struct family {
	dev_t numbers[64];
	size_t n;
	char sys[PATH_SIZE];
};

static bool in_family(const struct family *f, dev_t number)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->numbers[i] == number)
			return true;
	return false;
}

static void add_number(struct family *f, const char *dir)
{
	char path[PATH_SIZE + 8];
	unsigned major, minor;
	snprintf(path, sizeof(path), "%s/dev", dir);
	FILE *file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%u:%u", &major, &minor) == 2 &&
	    f->n < sizeof(f->numbers) / sizeof(f->numbers[0]))
		f->numbers[f->n++] = makedev(major, minor);
	fclose(file);
}

/* Calls fn for a disk's sysfs directory and for each of its partitions. */
static bool any_member(const struct family *f,
		       bool (*fn)(const char *dir, void *data), void *data)
{
	bool found = fn(f->sys, data);
	DIR *dir = opendir(f->sys);
	struct dirent *e;
	while (dir && !found && (e = readdir(dir))) {
		char part[PATH_SIZE + 256], mark[PATH_SIZE + 272];
		snprintf(part, sizeof(part), "%s/%s", f->sys, e->d_name);
		snprintf(mark, sizeof(mark), "%s/partition", part);
		if (access(mark, F_OK) == 0)
			found = fn(part, data);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool note_number(const char *dir, void *data)
{
	add_number(data, dir);
	return false;
}

static bool has_holder(const char *dir, void *data)
{
	char path[PATH_SIZE + 300];
	bool found = false;
	snprintf(path, sizeof(path), "%s/holders", dir);
	DIR *holders = opendir(path);
	struct dirent *e;
	while (holders && !found && (e = readdir(holders))) {
		found = e->d_name[0] != '.';
		if (found)
			snprintf(data, 64, "%.63s", e->d_name);
	}
	if (holders)
		closedir(holders);
	return found;
}

/* Of a partition the whole disk's family: its siblings count as well. */
static int find_family(const char *dev, struct family *f)
{
	struct stat st;
	char mark[PATH_SIZE + 16];
	*f = (struct family){ .n = 0 };
	if (stat(dev, &st) || !S_ISBLK(st.st_mode))
		return -1;
	snprintf(f->sys, sizeof(f->sys), "/sys/dev/block/%u:%u",
		 major(st.st_rdev), minor(st.st_rdev));
	snprintf(mark, sizeof(mark), "%s/partition", f->sys);
	if (access(mark, F_OK) == 0)
		strcat(f->sys, "/..");
	f->numbers[f->n++] = st.st_rdev;
	any_member(f, note_number, f);
	return 0;
}

static bool is_mounted(const struct family *f, char *where, size_t size)
{
	FILE *m = fopen("/proc/self/mountinfo", "re");
	char line[1024], at[512];
	unsigned major, minor;
	bool found = false;
	while (m && !found && fgets(line, sizeof(line), m)) {
		found = sscanf(line, "%*d %*d %u:%u %*s %511s", &major, &minor,
			       at) == 3 &&
			in_family(f, makedev(major, minor));
		if (found)
			snprintf(where, size, "%s", at);
	}
	if (m)
		fclose(m);
	return found;
}

/* Before mountinfo (2.6.26), and for btrfs, whose numbers are its own. */
static bool is_listed(const struct family *f, const char *file, char *what,
		      size_t size)
{
	FILE *m = fopen(file, "re");
	char line[1024], dev[512];
	struct stat st;
	bool found = false;
	while (m && !found && fgets(line, sizeof(line), m)) {
		found = sscanf(line, "%511s", dev) == 1 && dev[0] == '/' &&
			stat(dev, &st) == 0 && S_ISBLK(st.st_mode) &&
			in_family(f, st.st_rdev);
		if (found)
			snprintf(what, size, "%s", dev);
	}
	if (m)
		fclose(m);
	return found;
}

int disk_may_be_written(struct report *r, const char *dev)
{
	struct family f;
	char what[512] = "";
	if (find_family(dev, &f))
		return report_error(r, "%s is not a block device", dev);
	if (is_mounted(&f, what, sizeof(what)) ||
	    is_listed(&f, "/proc/mounts", what, sizeof(what)))
		return report_error(r,
				    "%s is in use (%s is mounted): not "
				    "written to",
				    dev, what);
	if (is_listed(&f, "/proc/swaps", what, sizeof(what)))
		return report_error(r, "%s is swap (%s): not written to", dev,
				    what);
	if (any_member(&f, has_holder, what))
		return report_error(r, "%s is held by %s: not written to", dev,
				    what);
	int fd = open(dev, O_RDWR | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return report_error(r,
				    "%s cannot be opened exclusively for "
				    "writing: %s",
				    dev, strerror(errno));
	close(fd);
	return 0;
}
