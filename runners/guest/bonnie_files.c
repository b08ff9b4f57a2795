/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie++'s tests of many empty files: create, stat and delete, in the order
 * of their names or in random order; each phase ends with the directory
 * synced.
 */
#include "disk.h"
#include "window.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 32
#define RANDOM_CHARS 7 /* at most, behind or before the number */

struct files {
	char (*names)[NAME_SIZE];
	size_t n;
	int dir;
};

/* Number first, so that names sort in order of creation; or random first. */
static void make_names(struct files *f, bool random_order)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned short state[3] = { 0x330e, 1, 2007 };
	for (size_t i = 0; i < f->n; i++) {
		char random[RANDOM_CHARS + 1] = "";
		size_t k = (size_t)(erand48(state) * (RANDOM_CHARS + 1));
		for (size_t c = 0; c < k; c++)
			random[c] = letters[(
				size_t)(erand48(state) *
					(double)(sizeof(letters) - 1))];
		snprintf(f->names[i], NAME_SIZE, "%s%07zx%s",
			 random_order ? random : "", i,
			 random_order ? "" : random);
	}
}

static void shuffle(struct files *f)
{
	unsigned short state[3] = { 0x330e, 2, 2007 };
	for (size_t i = f->n; i > 1; i--) {
		size_t k = (size_t)(erand48(state) * (double)i);
		char name[NAME_SIZE];
		memcpy(name, f->names[i - 1], NAME_SIZE);
		memcpy(f->names[i - 1], f->names[k], NAME_SIZE);
		memcpy(f->names[k], name, NAME_SIZE);
	}
}

static int create_one(struct files *f, const char *name)
{
	int fd = openat(f->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0600);
	return fd < 0 ? -1 : close(fd);
}

static int stat_one(struct files *f, const char *name)
{
	struct stat st;
	if (fstatat(f->dir, name, &st, 0))
		return -1;
	if (st.st_size == 0)
		return 0;
	errno = EIO;
	return -1;
}

static int delete_one(struct files *f, const char *name)
{
	return unlinkat(f->dir, name, 0);
}

static const struct phase {
	const char *figures[2]; /* sequential, random */
	int (*one)(struct files *f, const char *name);
	enum operation op;
} phases[] = {
	{ { "bonnie.seq_create", "bonnie.ran_create" }, create_one, OP_WRITE },
	{ { "bonnie.seq_stat", "bonnie.ran_stat" }, stat_one, OP_READ },
	{ { "bonnie.seq_delete", "bonnie.ran_delete" }, delete_one, OP_WRITE },
};

static int run_phase(struct task *t, struct files *f, const struct phase *ph)
{
	struct window w;
	const char *figure = ph->figures[t->arg];
	drop_caches(t->p);
	if (window_open(&w, t, figure))
		return -1;
	for (size_t i = 0; i < f->n; i++) {
		if (ph->one(f, f->names[i]))
			return report_error(t->r, "%s, file %zu on %s: %s",
					    figure, i, t->d->dev,
					    strerror(errno));
		window_operation(&w, ph->op);
	}
	if (fsync(f->dir))
		return report_error(t->r, "%s on %s: %s", figure, t->d->dev,
				    strerror(errno));
	if (window_close(&w, 0, ph->op == OP_WRITE ? TO_DISK : FROM_CACHE))
		return -1;
	window_figure(&w, figure, (double)f->n / w.elapsed);
	return 0;
}

int bonnie_files(struct task *t)
{
	struct files f = { .n = (size_t)t->p->files * 1024, .dir = -1 };
	char path[300];
	if (disk_is_raw(t->d))
		return report_error(t->r,
				    "%s has no file system to create "
				    "files on",
				    t->d->dev);
	if (disk_mount(t, t->d))
		return -1;
	snprintf(path, sizeof(path), "%s/firstbad.files", t->d->dir);
	f.names = malloc(f.n * sizeof(*f.names));
	if (f.names && mkdir(path, 0700) == 0)
		f.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = f.dir >= 0 ? 0 :
			      report_error(t->r, "cannot make %s: %s", path,
					   strerror(errno));
	if (rc == 0)
		make_names(&f, t->arg);
	for (size_t i = 0; rc == 0 && i < 3; i++) {
		if (t->arg && i > 0)
			shuffle(&f);
		rc = run_phase(t, &f, &phases[i]);
	}
	if (f.dir >= 0)
		close(f.dir);
	rmdir(path);
	free(f.names);
	return rc;
}
