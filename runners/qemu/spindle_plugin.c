/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk that turns: an nbdkit plugin that serves an image as slowly as a
 * drive with one arm would. What QEMU's throttle cannot know it does: whether
 * a request continues where the last one ended.
 *
 * One request is served at a time. It takes `seek` when it is somewhere else,
 * and then its bytes at the media rate, but never less than the drive needs
 * for a command. A request that continues costs no seek, and may find that the
 * drive has read ahead for as long as its buffer lasts. Seek and rotation are
 * one constant: distance, zones, command queueing and write cache are not
 * imitated. Writes are private to the process and gone with it.
 *
 * Parameters: file=PATH rate=BYTES/s seek=US command=US
 */
#define NBDKIT_API_VERSION 2
#include <errno.h>
#include <fcntl.h>
#include <nbdkit-plugin.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define THREAD_MODEL NBDKIT_THREAD_MODEL_SERIALIZE_ALL_REQUESTS
#define NEAR (512 * 1024)	 /* bytes that pass by without a seek */
#define BUFFER (8 * 1024 * 1024) /* of the drive */
#define READ_AHEAD 0.05		 /* seconds that the drive may be ahead */

static char *file;
static double rate, seek, command; /* bytes/s, s, s */

static char *image;
static int64_t size;
static int64_t head;   /* where the last request ended */
static double free_at; /* when the arm is, or was, free */

static double now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void wait_until(double t)
{
	struct timespec ts = { (time_t)t,
			       (long)((t - (double)(time_t)t) * 1e9) };
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) ==
	       EINTR)
		;
}

static void serve(uint64_t offset, uint32_t count, bool write)
{
	double t = now(), transfer = count / rate;
	int64_t skipped = (int64_t)offset - head;
	bool continues = write ? llabs(skipped) <= BUFFER :
				 skipped >= 0 && skipped <= NEAR;
	double earliest = continues ? t - READ_AHEAD : t;
	double start = free_at > earliest ? free_at : earliest;
	if (!continues)
		start += seek;
	free_at = start + (transfer > command ? transfer : command);
	head = (int64_t)offset + count;
	wait_until(free_at);
}

static int spindle_config(const char *key, const char *value)
{
	if (strcmp(key, "file") == 0) {
		free(file);
		file = nbdkit_realpath(value);
		return file ? 0 : -1;
	}
	double v = atof(value);
	if (strcmp(key, "rate") == 0)
		rate = v;
	else if (strcmp(key, "seek") == 0)
		seek = v * 1e-6;
	else if (strcmp(key, "command") == 0)
		command = v * 1e-6;
	else {
		nbdkit_error("no parameter %s", key);
		return -1;
	}
	return 0;
}

static int spindle_config_complete(void)
{
	struct stat st;
	if (!file || rate <= 0) {
		nbdkit_error("file= and rate= are needed");
		return -1;
	}
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		nbdkit_error("%s: %m", file);
		return -1;
	}
	size = st.st_size;
	image = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	close(fd);
	if (image == MAP_FAILED) {
		nbdkit_error("%s: %m", file);
		return -1;
	}
	return 0;
}

static void *spindle_open(int readonly)
{
	(void)readonly;
	return NBDKIT_HANDLE_NOT_NEEDED;
}

static int64_t spindle_get_size(void *handle)
{
	(void)handle;
	return size;
}

static int spindle_pread(void *handle, void *buf, uint32_t count,
			 uint64_t offset, uint32_t flags)
{
	(void)handle;
	(void)flags;
	serve(offset, count, false);
	memcpy(buf, image + offset, count);
	return 0;
}

static int spindle_pwrite(void *handle, const void *buf, uint32_t count,
			  uint64_t offset, uint32_t flags)
{
	(void)handle;
	(void)flags;
	serve(offset, count, true);
	memcpy(image + offset, buf, count);
	return 0;
}

/* What was acknowledged is on the platter already. */
static int spindle_flush(void *handle, uint32_t flags)
{
	(void)handle;
	(void)flags;
	return 0;
}

static struct nbdkit_plugin plugin = {
	.name = "spindle",
	.config = spindle_config,
	.config_complete = spindle_config_complete,
	.open = spindle_open,
	.get_size = spindle_get_size,
	.pread = spindle_pread,
	.pwrite = spindle_pwrite,
	.flush = spindle_flush,
};

NBDKIT_REGISTER_PLUGIN(plugin)
