/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie++'s tests of many empty files in one directory: create, stat and
 * delete. In sequence names begin with a number and the directory is walked in
 * the order in which it lists them; in random order names begin at random and
 * are taken shuffled. The sync after creating and deleting is inside the
 * timing, and so is the removal of the directory.
 */
#include "disk.h"
#include "window.h"
#include "workload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 48
#define RANDOM_CHARS 12 /* at most, behind or before the number */

struct files {
	char (*names)[NAME_SIZE];
	size_t n;
	const char *path; /* of their directory */
	int dir;	  /* the same, open */
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
		snprintf(f->names[i], NAME_SIZE, "%s%010zx%s",
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

struct phase {
	const char *figures[2]; /* sequential, random */
	int (*one)(struct files *f, const char *name);
	enum operation op;
	bool writes, deletes;
};

static const struct phase phases[] = {
	{ { "bonnie.seq_create", "bonnie.ran_create" },
	  create_one,
	  OP_WRITE,
	  true,
	  false },
	{ { "bonnie.seq_stat", "bonnie.ran_stat" },
	  stat_one,
	  OP_READ,
	  false,
	  false },
	{ { "bonnie.seq_delete", "bonnie.ran_delete" },
	  delete_one,
	  OP_WRITE,
	  true,
	  true },
};

static int by_name(struct window *w, struct files *f, const struct phase *ph)
{
	for (size_t i = 0; i < f->n; i++) {
		if (ph->one(f, f->names[i]))
			return -1;
		window_operation(w, ph->op);
	}
	return 0;
}

/* As the directory lists them; readdir()'s time counts. */
static int by_listing(struct window *w, struct files *f, const struct phase *ph)
{
	DIR *d = opendir(f->path);
	struct dirent *e;
	size_t seen = 0;
	if (!d)
		return -1;
	int rc = 0;
	while (rc == 0 && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		rc = ph->one(f, e->d_name);
		window_operation(w, ph->op);
		seen++;
	}
	closedir(d);
	if (rc == 0 && seen != f->n) {
		errno = EIO; /* the directory does not list what is in it */
		rc = -1;
	}
	return rc;
}

static int run_phase(struct task *t, struct files *f, const struct phase *ph)
{
	struct window w;
	const char *figure = ph->figures[t->arg];
	bool create = ph == phases;
	drop_caches(t->p);
	if (window_open(&w, t, figure))
		return -1;
	int rc = t->arg || create ? by_name(&w, f, ph) : by_listing(&w, f, ph);
	if (rc == 0 && ph->deletes)
		rc = rmdir(f->path);
	if (rc)
		return report_error(t->r, "%s on %s: %s", figure, t->d->dev,
				    strerror(errno));
	if (ph->writes)
		sync();
	if (window_close(&w, 0, ph->writes ? TO_DISK : FROM_CACHE))
		return -1;
	window_figure(&w, figure, (double)f->n / w.elapsed);
	return 0;
}

static int run_phases(struct task *t, struct files *f)
{
	make_names(f, t->arg);
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		if (t->arg && i > 0)
			shuffle(f);
		if (run_phase(t, f, &phases[i]))
			return -1;
	}
	return 0;
}

int bonnie_files(struct task *t)
{
	char path[300];
	struct files f = { .n = (size_t)t->p->files * 1024,
			   .path = path,
			   .dir = -1 };
	if (disk_is_raw(t->d))
		return report_error(t->r,
				    "%s has no file system to create files on",
				    t->d->dev);
	if (disk_mount(t, t->d))
		return -1;
	snprintf(path, sizeof(path), "%s/firstbad.files", t->d->dir);
	f.names = malloc(f.n * sizeof(*f.names));
	if (f.names && mkdir(path, 0700) == 0)
		f.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = f.dir >= 0 ? run_phases(t, &f) :
			      report_error(t->r, "cannot make %s: %s", path,
					   strerror(errno));
	if (f.dir >= 0)
		close(f.dir);
	free(f.names);
	return rc;
}
