/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "boot.h"

#define CPU_DIR "/sys/devices/system/cpu"

static bool first_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, (int)size, f);
	if (f)
		fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

static double number_in(const char *path)
{
	char line[64];
	double v;
	return first_line(path, line, sizeof(line)) &&
			       fb_parse_double(line, &v) ?
		       v :
		       -1;
}

/* The sum or the least of one number in many files; -1 when there is none. */
static double over_all(const char *pattern, bool sum)
{
	glob_t g;
	double out = -1;
	if (glob(pattern, 0, NULL, &g))
		return -1;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		double v = number_in(g.gl_pathv[i]);
		if (v < 0)
			continue;
		if (out < 0)
			out = v;
		else if (sum)
			out += v;
		else
			out = v < out ? v : out;
	}
	globfree(&g);
	return out;
}

static double lowest_mhz(void)
{
	double khz = over_all(CPU_DIR "/cpu*/cpufreq/scaling_cur_freq", false);
	if (khz > 0)
		return khz / 1000;
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];
	double mhz, lowest = -1;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu MHz : %lf", &mhz) == 1 &&
		    (lowest < 0 || mhz < lowest))
			lowest = mhz;
	if (f)
		fclose(f);
	return lowest;
}

/* proc(5): user nice system idle iowait irq softirq steal, in ticks. */
static void read_stat(struct fb_host *h)
{
	char line[256];
	double t[8] = { 0 };
	double hz = (double)sysconf(_SC_CLK_TCK);
	if (!first_line("/proc/stat", line, sizeof(line)) ||
	    sscanf(line, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &t[0], &t[1],
		   &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) < 4)
		return;
	h->busy = (t[0] + t[1] + t[2] + t[5] + t[6]) / hz;
	h->steal = t[7] / hz;
}

static double pages_read(void)
{
	FILE *f = fopen("/proc/vmstat", "re");
	char line[128];
	double v = -1;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "pgpgin %lf", &v) == 1)
			break;
	if (f)
		fclose(f);
	return v;
}

/* proc(5): fields 14 and 15, behind the name in parentheses. */
static double process_seconds(long pid)
{
	char path[64], line[1024];
	double user, system;
	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	if (!first_line(path, line, sizeof(line)))
		return -1;
	const char *rest = strrchr(line, ')');
	if (!rest || sscanf(rest,
			    ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
			    "%lf %lf",
			    &user, &system) != 2)
		return -1;
	return (user + system) / (double)sysconf(_SC_CLK_TCK);
}

void fb_host_read(struct fb_host *out, long pid)
{
	char line[128];
	*out = (struct fb_host){ -1, -1, -1, -1, -1, -1, -1 };
	if (first_line("/proc/loadavg", line, sizeof(line)))
		sscanf(line, "%lf", &out->load);
	out->mhz = lowest_mhz();
	read_stat(out);
	out->read_kib = pages_read();
	out->throttled = over_all(CPU_DIR "/cpu*/thermal_throttle/"
					  "core_throttle_count",
				  true);
	out->qemu_seconds = process_seconds(pid);
}

void fb_host_evidence(struct fb_boot *boot, const char *window,
		      const struct fb_host *before, const struct fb_host *after)
{
	const struct {
		const char *key;
		double before, after;
	} rows[] = {
		{ "load", 0, after->load },
		{ "mhz", 0, after->mhz },
		{ "busy_seconds", before->busy, after->busy },
		{ "steal_seconds", before->steal, after->steal },
		{ "read_kib", before->read_kib, after->read_kib },
		{ "throttled", before->throttled, after->throttled },
		{ "qemu_seconds", before->qemu_seconds, after->qemu_seconds },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].before >= 0 && rows[i].after >= 0)
			fb_boot_add_evidence(boot, window, "host", rows[i].key,
					     rows[i].after - rows[i].before);
}

void fb_host_settings(struct fb_boot *boot)
{
	static const struct {
		const char *key, *path;
	} rows[] = {
		{ "governor", CPU_DIR "/cpu0/cpufreq/scaling_governor" },
		{ "frequency_driver", CPU_DIR "/cpu0/cpufreq/scaling_driver" },
		{ "turbo_off", CPU_DIR "/intel_pstate/no_turbo" },
		{ "idle_driver", CPU_DIR "/cpuidle/current_driver" },
		{ "link_power", "/sys/class/scsi_host/host0/"
				"link_power_management_policy" },
	};
	struct utsname u;
	char line[256];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (first_line(rows[i].path, line, sizeof(line)))
			fb_boot_add_setting(boot, "host", rows[i].key, line);
	if (uname(&u) == 0)
		fb_boot_add_setting(boot, "host", "release", u.release);
}
