/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "counters.h"

/* First line of a file without its newline; false when there is none. */
static bool first_line(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(out, (int)size, f);
	if (f)
		fclose(f);
	if (ok)
		out[strcspn(out, "\n")] = '\0';
	return ok && *out;
}

static void report_file(struct report *r, const char *subject, const char *key,
			const char *path)
{
	char value[256];
	if (first_line(path, value, sizeof(value)))
		report_setting(r, subject, key, "%s", value);
}

void report_system(struct report *r)
{
	struct utsname u;
	struct memory m;
	if (uname(&u) == 0) {
		report_setting(r, "system", "release", "%s", u.release);
		report_setting(r, "system", "version", "%s", u.version);
		report_setting(r, "system", "architecture", "%s", u.machine);
	}
	report_file(r, "system", "cmdline", "/proc/cmdline");
	report_file(r, "system", "clocksource",
		    "/sys/devices/system/clocksource/clocksource0/"
		    "current_clocksource");
	memory_read("/proc", &m);
	report_setting(r, "system", "memory_kib", "%llu",
		       (unsigned long long)m.total);
	report_setting(r, "system", "processors", "%ld",
		       sysconf(_SC_NPROCESSORS_ONLN));
}

/*
 * What libata says of the device, /sys/class/ata_device/devN.M since 2.6.37:
 * N is in the path that the disk's link leads to.
 */
static void report_ata_class(struct report *r, const struct disk *d,
			     const char *subject)
{
	static const char *const keys[] = { "dma_mode", "pio_mode",
					    "xfer_mode" };
	char path[128], link[512];
	unsigned port;
	snprintf(path, sizeof(path), "/sys/block/%.31s", d->kname);
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return;
	link[n] = '\0';
	const char *ata = strstr(link, "/ata");
	if (!ata || sscanf(ata, "/ata%u/", &port) != 1)
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(path, sizeof(path), "/sys/class/ata_device/dev%u.0/%s",
			 port, keys[i]);
		report_file(r, subject, keys[i], path);
	}
}

static void report_ioctls(struct report *r, const struct disk *d,
			  const char *subject)
{
	unsigned char id[512];
	long read_ahead = 0;
	int fd = open(d->dev, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	report_setting(r, subject, "bytes", "%llu",
		       (unsigned long long)disk_size(fd));
	if (ioctl(fd, BLKRAGET, &read_ahead) == 0)
		report_setting(r, subject, "read_ahead_kib", "%ld",
			       read_ahead / 2);
	if (disk_identify(fd, id) == 0)
		report_setting(r, subject, "transfer_mode", "%s",
			       transfer_mode(id));
	close(fd);
}

void report_settings(struct report *r, const struct disk *d)
{
	static const char *const files[] = {
		"queue/scheduler",
		"queue/read_ahead_kb",
		"queue/max_sectors_kb",
		"queue/max_hw_sectors_kb",
		"queue/nr_requests",
		"queue/nomerges",
		"queue/rotational",
		"queue/write_cache",
		"queue/logical_block_size",
		"queue/physical_block_size",
		"queue/max_segments",
		"device/queue_depth",
		"device/model",
		"ro",
	};
	char subject[64], path[128];
	report_name(r, d, "disk", subject, sizeof(subject));
	report_setting(r, subject, "name", "%s", d->kname);
	report_setting(r, subject, "filesystem", "%s", d->fs);
	if (d->options[0])
		report_setting(r, subject, "mount_options", "%s", d->options);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *slash = strrchr(files[i], '/');
		snprintf(path, sizeof(path), "/sys/block/%.31s/%s", d->kname,
			 files[i]);
		report_file(r, subject, slash ? slash + 1 : files[i], path);
	}
	report_ioctls(r, d, subject);
	report_ata_class(r, d, subject);
}
