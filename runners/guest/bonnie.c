/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie++'s tests of one file, as version 2.00a measures them: 8192 bytes at
 * a time, or byte by byte, fsync inside the timing of each phase. Addition:
 * caches are dropped before each phase, so that reads are reads.
 */
#include "disk.h"
#include "window.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 8192

static char chunk[CHUNK] __attribute__((aligned(4096)));

/* Whole transfers only; at the end of the space errno says so. */
static int full(ssize_t n, size_t want)
{
	if (n == (ssize_t)want)
		return 0;
	if (n >= 0)
		errno = ENOSPC;
	return -1;
}

static int write_chunks(struct window *w, int fd, uint64_t size)
{
	for (uint64_t i = 0; i < size / CHUNK; i++) {
		memcpy(chunk, &i, sizeof(i));
		if (full(write(fd, chunk, CHUNK), CHUNK))
			return -1;
		window_operation(w, OP_WRITE);
	}
	return fsync(fd);
}

static int rewrite_chunks(struct window *w, int fd, uint64_t size)
{
	for (uint64_t i = 0; i < size / CHUNK; i++) {
		if (full(read(fd, chunk, CHUNK), CHUNK))
			return -1;
		window_operation(w, OP_READ);
		chunk[i % CHUNK]++;
		if (lseek(fd, -CHUNK, SEEK_CUR) < 0 ||
		    full(write(fd, chunk, CHUNK), CHUNK))
			return -1;
		window_operation(w, OP_WRITE);
	}
	return fsync(fd);
}

/* bonnie++ has the file open for writing and syncs it here as well. */
static int read_chunks(struct window *w, int fd, uint64_t size)
{
	for (uint64_t i = 0; i < size / CHUNK; i++) {
		if (full(read(fd, chunk, CHUNK), CHUNK))
			return -1;
		window_operation(w, OP_READ);
	}
	return fsync(fd);
}

static int write_bytes(struct window *w, int fd, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++) {
		if (full(write(fd, chunk, 1), 1))
			return -1;
		window_operation(w, OP_WRITE);
	}
	return fsync(fd);
}

static int read_bytes(struct window *w, int fd, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++) {
		if (full(read(fd, chunk, 1), 1))
			return -1;
		window_operation(w, OP_READ);
	}
	return fsync(fd);
}

struct phase {
	const char *figure;
	int flags;
	int (*run)(struct window *w, int fd, uint64_t size);
	enum traffic traffic;
};

static int run_phase(struct task *t, const struct phase *ph, uint64_t size)
{
	struct window w;
	bool writes_it = ph->flags & O_CREAT;
	if (!writes_it && disk_fill_file(t, t->d))
		return -1;
	drop_caches(t->p);
	int fd = disk_open_file(t, t->d, ph->flags);
	if (fd < 0)
		return -1;
	int rc = window_open(&w, t, ph->figure);
	if (rc == 0 && ph->run(&w, fd, size))
		rc = report_error(t->r, "%s on %s (%s): %s", ph->figure,
				  t->d->dev, t->d->fs, strerror(errno));
	close(fd);
	return rc ? rc : window_rate(&w, size, ph->traffic, MIB, 0);
}

static uint64_t file_size(const struct task *t)
{
	return (uint64_t)t->p->file_mib * MIB;
}

static uint64_t char_size(const struct task *t)
{
	return (uint64_t)t->p->char_kib * KIB;
}

int bonnie_per_char_write(struct task *t)
{
	static const struct phase ph = { "bonnie.per_char_write",
					 O_RDWR | O_CREAT | O_TRUNC,
					 write_bytes, TO_DISK };
	return run_phase(t, &ph, char_size(t));
}

int bonnie_block_write(struct task *t)
{
	static const struct phase ph = { "bonnie.block_write",
					 O_RDWR | O_CREAT | O_TRUNC,
					 write_chunks, TO_DISK };
	return run_phase(t, &ph, file_size(t));
}

int bonnie_rewrite(struct task *t)
{
	static const struct phase ph = { "bonnie.rewrite", O_RDWR,
					 rewrite_chunks, BOTH };
	return run_phase(t, &ph, file_size(t));
}

int bonnie_per_char_read(struct task *t)
{
	static const struct phase ph = { "bonnie.per_char_read", O_RDWR,
					 read_bytes, FROM_DISK };
	return run_phase(t, &ph, char_size(t));
}

int bonnie_block_read(struct task *t)
{
	static const struct phase ph = { "bonnie.block_read", O_RDWR,
					 read_chunks, FROM_DISK };
	return run_phase(t, &ph, file_size(t));
}
