/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "package.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "identity.h"
#include "process.h"
#include "text.h"

#define BLOCK 65536
#define UNPACKED_MAX (4ull << 30)

struct unpacking {
	const char *dir; /* to where */
	unsigned kernels;
	uint64_t bytes;
	struct fb_error *err;
};

bool fb_package_is(const char *path)
{
	static const char *const ends[] = { ".deb", ".rpm",	".tar",
					    ".tgz", ".tar.gz",	".tar.xz",
					    ".txz", ".tar.zst", ".tar.bz2" };
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (fb_ends_with(path, ends[i]))
			return true;
	return false;
}

/* Does `path` climb out of where it is unpacked? */
static bool climbs(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")); p += 2)
		if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
			return true;
	return false;
}

/*
 * Where a file of the package is kept, or NULL. Kernels are boot/vmlinuz-R, or
 * lib/modules/R/vmlinuz in some RPMs.
 */
static char *kept_as(const char *name)
{
	while (fb_starts_with(name, "./") || *name == '/')
		name += *name == '/' ? 1 : 2;
	if (climbs(name))
		return NULL;
	if (fb_starts_with(name, "usr/lib/modules/"))
		name += strlen("usr/");
	if (fb_starts_with(name, "boot/vmlinuz") ||
	    (fb_starts_with(name, "lib/modules/") &&
	     fb_ends_with(name, "/vmlinuz")))
		return fb_strdup("vmlinuz");
	if (fb_starts_with(name, "boot/config-") ||
	    (fb_starts_with(name, "lib/modules/") &&
	     fb_ends_with(name, "/config")))
		return fb_strdup("config");
	return fb_starts_with(name, "lib/modules/") ? fb_strdup(name) : NULL;
}

static int damaged(struct unpacking *u, struct archive *a)
{
	const char *why = archive_error_string(a);
	return fb_error_set(u->err, FB_E_USAGE, "%s",
			    why ? why : "cannot be read");
}

static int keep(struct unpacking *u, struct archive *a, const char *name)
{
	fb_autofree char *path = fb_strf("%s/%s", u->dir, name);
	fb_autofree char *parent =
		fb_strndup(path, (size_t)(strrchr(path, '/') - path));
	int rc = fb_mkdir_p(parent, u->err);
	if (rc)
		return rc;
	fb_autofclose FILE *f = fopen(path, "wbe");
	char buf[BLOCK];
	la_ssize_t n;
	if (!f)
		return fb_error_errno(u->err, FB_E_MACHINE, "cannot create %s",
				      path);
	while ((n = archive_read_data(a, buf, sizeof(buf))) > 0) {
		u->bytes += (uint64_t)n;
		if (u->bytes > UNPACKED_MAX)
			return fb_error_set(u->err, FB_E_USAGE,
					    "unpacks to more than 4 GiB");
		if (fwrite(buf, 1, (size_t)n, f) != (size_t)n)
			break;
	}
	if (n < 0)
		return damaged(u, a);
	if (n > 0 || fflush(f))
		return fb_error_errno(u->err, FB_E_MACHINE, "cannot write %s",
				      path);
	return 0;
}

static int take_entries(struct unpacking *u, struct archive *a);

static la_ssize_t read_inner(struct archive *inner, void *data,
			     const void **buf)
{
	static _Thread_local char block[BLOCK];
	struct archive *outer = data;
	(void)inner;
	*buf = block;
	return archive_read_data(outer, block, sizeof(block));
}

/* A Debian package: the files are in an archive inside. */
static int take_inner(struct unpacking *u, struct archive *outer)
{
	struct archive *inner = archive_read_new();
	archive_read_support_filter_all(inner);
	archive_read_support_format_tar(inner);
	int rc = archive_read_open(inner, outer, NULL, read_inner, NULL) ?
			 damaged(u, inner) :
			 take_entries(u, inner);
	archive_read_free(inner);
	return rc;
}

static int take(struct unpacking *u, struct archive *a, struct archive_entry *e)
{
	const char *name = archive_entry_pathname(e);
	if (!name || archive_entry_filetype(e) != AE_IFREG ||
	    archive_entry_hardlink(e))
		return 0;
	if ((archive_format(a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_AR)
		return fb_starts_with(name, "data.tar") ? take_inner(u, a) : 0;
	fb_autofree char *as = kept_as(name);
	if (!as)
		return 0;
	u->kernels += fb_streq(as, "vmlinuz");
	return keep(u, a, as);
}

static int take_entries(struct unpacking *u, struct archive *a)
{
	struct archive_entry *e;
	int rc = 0, read;
	while (rc == 0 &&
	       (read = archive_read_next_header(a, &e)) != ARCHIVE_EOF)
		rc = read == ARCHIVE_FATAL ? damaged(u, a) : take(u, a, e);
	return rc;
}

static int unpack(struct unpacking *u, const char *path)
{
	struct archive *a = archive_read_new();
	archive_read_support_filter_all(a);
	archive_read_support_format_all(a);
	int rc = archive_read_open_filename(a, path, BLOCK) ?
			 damaged(u, a) :
			 take_entries(u, a);
	archive_read_free(a);
	if (rc == 0 && u->kernels != 1)
		return fb_error_set(u->err, FB_E_USAGE,
				    "holds %u kernels, one is needed",
				    u->kernels);
	return rc;
}

/* Packages leave it to their scripts to say which module needs which. */
static int index_modules(const char *dir, struct fb_error *err)
{
	fb_autofree char *all = fb_strf("%s/lib/modules", dir);
	DIR *d = opendir(all);
	int rc = 0;
	for (struct dirent *e; d && rc == 0 && (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		fb_autofree char *depmod = fb_find_program("depmod");
		const char *argv[] = { depmod ? depmod : "depmod", "-b", dir,
				       e->d_name, NULL };
		struct fb_process p = { .argv = argv };
		rc = fb_process_check(&p, err);
	}
	if (d)
		closedir(d);
	return rc;
}

static int hash_file(const char *path, char **hex, struct fb_error *err)
{
	fb_autofclose FILE *f = fopen(path, "rbe");
	char buf[BLOCK];
	size_t n;
	if (!f)
		return fb_error_errno(err, FB_E_USAGE, "cannot read %s", path);
	struct fb_hash *h = fb_hash_new();
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		fb_hash_add(h, buf, n);
	*hex = fb_hash_end(h);
	return ferror(f) ? fb_error_errno(err, FB_E_MACHINE, "cannot read %s",
					  path) :
			   0;
}

/* Complete or not there at all: made beside it, and renamed. */
static int make(const char *dir, const char *path, struct fb_error *err)
{
	fb_autofree char *beside = fb_strf("%s.%ld", dir, (long)getpid());
	struct unpacking u = { .dir = beside, .err = err };
	int rc = fb_rm_rf(beside, err);
	if (rc == 0)
		rc = fb_mkdir_p(beside, err);
	if (rc == 0)
		rc = unpack(&u, path);
	if (rc == 0)
		rc = index_modules(beside, err);
	if (rc == 0 && rename(beside, dir) && !fb_exists(dir))
		rc = fb_error_errno(err, FB_E_MACHINE, "cannot create %s", dir);
	if (fb_exists(beside)) {
		struct fb_error ignored = FB_ERROR_INIT;
		if (fb_rm_rf(beside, &ignored))
			fb_error_release(&ignored);
	}
	return rc ? fb_error_wrap(err, "%s", path) : 0;
}

int fb_package_unpack(const char *cache, const char *path, char **image,
		      struct fb_error *err)
{
	fb_autofree char *hash = NULL;
	int rc = hash_file(path, &hash, err);
	if (rc)
		return rc;
	fb_autofree char *dir = fb_strf("%s/packages/%s", cache, hash);
	if (!fb_exists(dir))
		rc = make(dir, path, err);
	if (rc == 0)
		*image = fb_strf("%s/vmlinuz", dir);
	return rc;
}
