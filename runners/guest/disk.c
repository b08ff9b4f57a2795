/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds disks by serial number. Names are no guide: what was hda is sda since
 * libata, and their order changes. The ways to ask, oldest interface first:
 * HDIO_GET_IDENTITY, HDIO_DRIVE_CMD with IDENTIFY DEVICE (ATA-8 ACS 7.12),
 * SG_IO with INQUIRY page 0x80 (SPC-3 7.6.10), and /sys/block/X/device.
 */
#include "disk.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/hdreg.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SETTLE_SECONDS 5.0

static void trim(char *s)
{
	size_t lead = strspn(s, " ");
	memmove(s, s + lead, strlen(s + lead) + 1);
	for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]);)
		s[--n] = '\0';
}

int disk_identify(int fd, unsigned char id[512])
{
	if (ioctl(fd, HDIO_GET_IDENTITY, id) == 0)
		return 0;
	unsigned char args[4 + 512] = { WIN_IDENTIFY, 0, 0, 1 };
	if (ioctl(fd, HDIO_DRIVE_CMD, args))
		return -1;
	memcpy(id, args + 4, 512);
	return 0;
}

static int ata_serial(int fd, char out[24])
{
	unsigned char id[512];
	if (disk_identify(fd, id))
		return -1;
	/*
	 * Words 10 to 19 hold two characters each. HDIO_GET_IDENTITY of the
	 * old IDE driver has swapped them already, libata and the raw command
	 * have not: the caller compares both readings.
	 */
	memcpy(out, id + 20, 20);
	out[20] = '\0';
	return 0;
}

static void swap_pairs(char *s)
{
	for (size_t i = 0; s[i] && s[i + 1]; i += 2) {
		char c = s[i];
		s[i] = s[i + 1];
		s[i + 1] = c;
	}
}

static int scsi_serial(int fd, char out[24])
{
	unsigned char cdb[6] = { 0x12, 1, 0x80, 0, 64, 0 }, page[64] = { 0 };
	unsigned char sense[32];
	struct sg_io_hdr io = {
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_FROM_DEV,
		.cmd_len = sizeof(cdb),
		.cmdp = cdb,
		.dxfer_len = sizeof(page),
		.dxferp = page,
		.mx_sb_len = sizeof(sense),
		.sbp = sense,
		.timeout = 5000,
	};
	if (ioctl(fd, SG_IO, &io) || io.status || page[1] != 0x80)
		return -1;
	snprintf(out, 24, "%.*s", page[3] < 23 ? page[3] : 23, page + 4);
	return 0;
}

static int sysfs_serial(const char *kname, char out[24])
{
	char path[128];
	snprintf(path, sizeof(path), "/sys/block/%s/device/serial", kname);
	FILE *f = fopen(path, "re");
	if (!f) {
		snprintf(path, sizeof(path), "/sys/block/%s/serial", kname);
		f = fopen(path, "re");
	}
	if (!f)
		return -1;
	int ok = fgets(out, 24, f) != NULL;
	fclose(f);
	return ok ? 0 : -1;
}

static bool matches(char *serial, const char *want)
{
	trim(serial);
	return strcmp(serial, want) == 0;
}

static bool has_serial(const char *dev, const char *kname, const char *want)
{
	char serial[24] = "";
	bool yes = false;
	int fd = open(dev, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		if (ata_serial(fd, serial) == 0) {
			char swapped[24];
			memcpy(swapped, serial, sizeof(serial));
			swap_pairs(swapped);
			yes = matches(serial, want) || matches(swapped, want);
		}
		if (!yes && scsi_serial(fd, serial) == 0)
			yes = matches(serial, want);
		close(fd);
	}
	return yes ||
	       (sysfs_serial(kname, serial) == 0 && matches(serial, want));
}

/* Makes sure that /dev/KNAME is there; the node's path goes into dev. */
static int device_node(const char *kname, unsigned major, unsigned minor,
		       char *dev, size_t size)
{
	snprintf(dev, size, "/dev/%s", kname);
	if (access(dev, F_OK) == 0)
		return 0;
	return mknod(dev, S_IFBLK | 0600, makedev(major, minor));
}

static void try_disk(struct job *job, const char *kname, unsigned major,
		     unsigned minor)
{
	char dev[64];
	if (strncmp(kname, "ram", 3) == 0 || strncmp(kname, "loop", 4) == 0 ||
	    device_node(kname, major, minor, dev, sizeof(dev)))
		return;
	for (size_t i = 0; i < job->n_disks; i++) {
		struct disk *d = &job->disks[i];
		if (!d->dev[0] && has_serial(dev, kname, d->serial)) {
			strcpy(d->dev, dev);
			snprintf(d->kname, sizeof(d->kname), "%.31s", kname);
		}
	}
}

static void look_in_sysfs(struct job *job, DIR *dir)
{
	struct dirent *e;
	while ((e = readdir(dir))) {
		char path[300];
		unsigned major, minor;
		snprintf(path, sizeof(path), "/sys/block/%s/dev", e->d_name);
		FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "re");
		if (!f)
			continue;
		int n = fscanf(f, "%u:%u", &major, &minor);
		fclose(f);
		/* A slash in a kernel's name is a "!" in sysfs. */
		for (char *p = e->d_name; *p; p++)
			if (*p == '!')
				*p = '/';
		if (n == 2)
			try_disk(job, e->d_name, major, minor);
	}
}

/* A kernel without sysfs. A disk comes before its partitions. */
static void look_in_proc(struct job *job)
{
	FILE *f = fopen("/proc/partitions", "re");
	char line[128], kname[32];
	unsigned major, minor;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %u %*u %31s", &major, &minor, kname) == 3)
			try_disk(job, kname, major, minor);
	if (f)
		fclose(f);
}

static void look(struct job *job)
{
	DIR *dir = opendir("/sys/block");
	if (!dir) {
		look_in_proc(job);
		return;
	}
	look_in_sysfs(job, dir);
	closedir(dir);
}

static const struct disk *missing(const struct job *job)
{
	for (size_t i = 0; i < job->n_disks; i++)
		if (!job->disks[i].dev[0])
			return &job->disks[i];
	return NULL;
}

uint64_t disk_size(int fd)
{
	uint64_t bytes = 0;
	unsigned long sectors = 0;
	if (ioctl(fd, BLKGETSIZE64, &bytes) == 0 && bytes)
		return bytes;
	if (ioctl(fd, BLKGETSIZE, &sectors) == 0)
		return 512 * (uint64_t)sectors;
	off_t end = lseek(fd, 0, SEEK_END);
	lseek(fd, 0, SEEK_SET);
	return end > 0 ? (uint64_t)end : 0;
}

int disks_find(struct job *job, struct report *r)
{
	/* SATA links come up after init has started on some kernels. */
	double until = now_seconds() + SETTLE_SECONDS;
	for (;;) {
		look(job);
		const struct disk *d = missing(job);
		if (!d)
			return 0;
		if (now_seconds() > until)
			return report_error(r, "no disk with serial %s (%s)",
					    d->serial, d->name);
		usleep(50000);
	}
}
