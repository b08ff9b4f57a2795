/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

bool disk_is_raw(const struct disk *d)
{
	return strcmp(d->fs, "raw") == 0;
}

/* What mount(8) turns into flags; the others are the file system's. */
static unsigned long mount_flags(const char *options, char *rest)
{
	static const struct {
		const char *name;
		unsigned long flag;
	} known[] = {
		{ "sync", MS_SYNCHRONOUS },  { "dirsync", MS_DIRSYNC },
		{ "noatime", MS_NOATIME },   { "nodiratime", MS_NODIRATIME },
		{ "relatime", MS_RELATIME }, { "strictatime", MS_STRICTATIME },
		{ "lazytime", MS_LAZYTIME },
	};
	unsigned long flags = 0;
	for (size_t n; *options; options += n + (options[n] == ',')) {
		unsigned long flag = 0;
		n = strcspn(options, ",");
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (strlen(known[i].name) == n &&
			    strncmp(known[i].name, options, n) == 0)
				flag = known[i].flag;
		flags |= flag;
		if (!flag)
			sprintf(rest + strlen(rest), "%s%.*s", *rest ? "," : "",
				(int)n, options);
	}
	return flags;
}

int disk_mount(struct task *t, struct disk *d)
{
	if (d->dir[0] || disk_is_raw(d))
		return 0;
	snprintf(d->dir, sizeof(d->dir), "/mnt-%s", d->name);
	mkdir(d->dir, 0755);
	char rest[sizeof(d->options)] = "";
	unsigned long flags = mount_flags(d->options, rest);
	if (mount(d->dev, d->dir, d->fs, flags, *rest ? rest : NULL)) {
		d->dir[0] = '\0';
		return report_error(t->r, "cannot mount %s as %s: %s", d->dev,
				    d->fs, strerror(errno));
	}
	d->mounted = true;
	return 0;
}

int disk_unmount(struct task *t, struct disk *d)
{
	if (!d->mounted)
		return 0;
	if (umount(d->dir))
		return report_error(t->r, "cannot unmount %s: %s", d->dev,
				    strerror(errno));
	d->mounted = false;
	d->dir[0] = '\0';
	return 0;
}

int disk_open_file(struct task *t, struct disk *d, int flags)
{
	char path[300];
	if (disk_mount(t, d))
		return -1;
	if (disk_is_raw(d)) {
		snprintf(path, sizeof(path), "%s", d->dev);
		flags &= ~(O_CREAT | O_TRUNC);
	} else {
		snprintf(path, sizeof(path), "%s/" FILE_NAME, d->dir);
	}
	int fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		report_error(t->r, "cannot open %s: %s", path, strerror(errno));
	return fd;
}

static int fill(struct task *t, int fd, uint64_t size)
{
	static char buf[64 * KIB] __attribute__((aligned(4096)));
	memset(buf, 0x5a, sizeof(buf));
	for (uint64_t at = 0; at < size;) {
		size_t want = size - at < sizeof(buf) ? (size_t)(size - at) :
							sizeof(buf);
		ssize_t n = pwrite(fd, buf, want, (off_t)at);
		if (n <= 0)
			return report_error(t->r, "filling %s at %llu: %s",
					    t->d->dev, (unsigned long long)at,
					    n ? strerror(errno) : "it is full");
		at += (uint64_t)n;
	}
	if (fsync(fd))
		return report_error(t->r, "filling %s: %s", t->d->dev,
				    strerror(errno));
	return 0;
}

int disk_fill_file(struct task *t, struct disk *d)
{
	uint64_t size = (uint64_t)t->p->file_mib * MIB;
	struct stat st;
	int fd = disk_open_file(t, d, O_RDWR | O_CREAT);
	if (fd < 0)
		return -1;
	int rc = 0;
	if (disk_is_raw(d)) {
		if (disk_size(fd) < size)
			rc = report_error(t->r, "%s is smaller than %u MiB",
					  d->dev, t->p->file_mib);
	} else if (fstat(fd, &st) || (uint64_t)st.st_size < size) {
		rc = fill(t, fd, size);
	}
	close(fd);
	return rc;
}

uint64_t disk_scratch(uint64_t size)
{
	return size / 4 * 3 / MIB * MIB;
}

void drop_caches(const struct params *p)
{
	sync();
	if (p->keep_cache)
		return;
	/* Since 2.6.16; without it the window tells that nothing was dropped. */
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "3\n", 2) != 2)
		perror("firstbad-probe: drop_caches");
	close(fd);
}
