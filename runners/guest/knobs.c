/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knobs of the kernel that the job wants set before anything is measured. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"

static int set(struct report *r, const char *path, const char *value)
{
	size_t n = strlen(value);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return report_error(r, "no knob %s: %s", path, strerror(errno));
	bool ok = write(fd, value, n) == (ssize_t)n;
	int why = errno;
	close(fd);
	return ok ? 0 :
		    report_error(r, "knob %s does not take \"%s\": %s", path,
				 value, strerror(why));
}

static int set_on_disk(struct report *r, const struct disk *d,
		       const struct knob *k)
{
	char path[256], subject[64], now[128] = "";
	snprintf(path, sizeof(path), "/sys/block/%.31s/%s", d->kname, k->path);
	if (set(r, path, k->value))
		return -1;
	FILE *f = fopen(path, "re");
	if (f && fgets(now, sizeof(now), f))
		now[strcspn(now, "\n")] = '\0';
	if (f)
		fclose(f);
	report_name(r, d, "disk", subject, sizeof(subject));
	report_setting(r, subject, k->path, "%s", now[0] ? now : k->value);
	return 0;
}

int knobs_set(struct job *job, struct report *r)
{
	for (size_t i = 0; i < job->n_knobs; i++) {
		const struct knob *k = &job->knobs[i];
		if (k->path[0] == '/') {
			if (set(r, k->path, k->value))
				return -1;
			report_setting(r, "system", k->path, "%s", k->value);
			continue;
		}
		for (size_t n = 0; n < job->n_disks; n++)
			if (set_on_disk(r, &job->disks[n], k))
				return -1;
	}
	return 0;
}
