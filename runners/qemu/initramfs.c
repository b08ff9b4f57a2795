/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cleanup.h"
#include "embedded.h"
#include "errors.h"
#include "text.h"

#define MODULE_MAX (64u << 20)

static int add(struct archive *a, const char *name, mode_t mode, dev_t rdev,
	       const void *data, size_t len)
{
	struct archive_entry *e = archive_entry_new();
	archive_entry_set_pathname(e, name);
	archive_entry_set_mode(e, mode);
	archive_entry_set_size(e, (int64_t)len);
	archive_entry_set_rdev(e, rdev);
	archive_entry_set_nlink(e, 1);
	int rc = archive_write_header(a, e);
	if (rc == ARCHIVE_OK && len &&
	    archive_write_data(a, data, len) != (la_ssize_t)len)
		rc = ARCHIVE_FATAL;
	archive_entry_free(e);
	return rc;
}

static struct archive *begin(FILE *f)
{
	struct archive *a = archive_write_new();
	archive_write_set_format_cpio_newc(a);
	archive_write_add_filter_none(a);
	archive_write_set_bytes_per_block(a, 512);
	archive_write_open_FILE(a, f);
	return a;
}

static int end(struct archive *a, int rc)
{
	int closed = archive_write_close(a);
	archive_write_free(a);
	return rc == ARCHIVE_OK ? closed : rc;
}

/* "./usr/bin" and "/usr/bin" are "usr/bin"; "" for the root itself. */
static const char *relative(const char *path, const char *root)
{
	size_t n = strlen(root);
	if (n && strncmp(path, root, n) == 0)
		path += n;
	path += strspn(path, "/");
	while (strncmp(path, "./", 2) == 0)
		path += 2 + strspn(path + 2, "/");
	return strcmp(path, ".") == 0 ? "" : path;
}

static int copy_data(struct archive *from, struct archive *to)
{
	char buf[65536];
	la_ssize_t n;
	while ((n = archive_read_data(from, buf, sizeof(buf))) > 0)
		if (archive_write_data(to, buf, (size_t)n) != n)
			return ARCHIVE_FATAL;
	return n < 0 ? (int)n : ARCHIVE_OK;
}

/* Copies every entry; libarchive walks directories and reads archives alike. */
static int copy_entries(struct archive *from, const char *root,
			struct archive *to)
{
	struct archive_entry *e = archive_entry_new();
	int rc = ARCHIVE_OK;
	while (rc == ARCHIVE_OK) {
		rc = archive_read_next_header2(from, e);
		if (rc != ARCHIVE_OK)
			break;
		if (*root)
			archive_read_disk_descend(from);
		fb_autofree char *name =
			fb_strdup(relative(archive_entry_pathname(e), root));
		if (!*name || strcmp(name, "init") == 0)
			continue;
		archive_entry_set_pathname(e, name);
		/* Each name has its own content: links would need order. */
		const char *link = archive_entry_hardlink(e);
		if (link) {
			fb_autofree char *target =
				fb_strdup(relative(link, root));
			archive_entry_set_hardlink(e, target);
		}
		rc = archive_write_header(to, e);
		if (rc == ARCHIVE_OK && archive_entry_size(e) > 0)
			rc = copy_data(from, to);
	}
	archive_entry_free(e);
	return rc == ARCHIVE_EOF ? ARCHIVE_OK : rc;
}

static int add_overlay(FILE *f, const char *path, struct fb_error *err)
{
	struct stat st;
	bool dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	struct archive *from =
		dir ? archive_read_disk_new() : archive_read_new();
	int rc;
	if (dir) {
		archive_read_disk_set_standard_lookup(from);
		rc = archive_read_disk_open(from, path);
	} else {
		archive_read_support_filter_all(from);
		archive_read_support_format_all(from);
		rc = archive_read_open_filename(from, path, 65536);
	}
	if (rc == ARCHIVE_OK) {
		struct archive *to = begin(f);
		rc = copy_entries(from, dir ? path : "", to);
		int ended = end(to, ARCHIVE_OK);
		rc = rc == ARCHIVE_OK ? ended : rc;
	}
	const char *why = archive_error_string(from);
	if (rc != ARCHIVE_OK)
		fb_error_set(err, FB_E_USAGE, "overlay %s: %s", path,
			     why ? why : "cannot be copied");
	archive_read_free(from);
	return rc == ARCHIVE_OK ? 0 : err->code;
}

static int add_probe(FILE *f)
{
	struct archive *a = begin(f);
	int rc = add(a, "dev", S_IFDIR | 0755, 0, NULL, 0);
	if (rc == ARCHIVE_OK)
		rc = add(a, "dev/console", S_IFCHR | 0600, makedev(5, 1), NULL,
			 0);
	if (rc == ARCHIVE_OK)
		rc = add(a, "init", S_IFREG | 0755, 0, fb_probe_image,
			 fb_probe_image_size);
	return end(a, rc);
}

/* Reads a file that may be compressed; one that is not comes as it is. */
static int read_plain(const char *path, char **out, size_t *len,
		      struct fb_error *err)
{
	struct archive *a = archive_read_new();
	struct archive_entry *e;
	size_t cap = 0;
	archive_read_support_filter_all(a);
	archive_read_support_format_raw(a);
	int rc = archive_read_open_filename(a, path, 65536);
	if (rc == ARCHIVE_OK)
		rc = archive_read_next_header(a, &e);
	*len = 0;
	while (rc == ARCHIVE_OK) {
		if (cap - *len < 65536) {
			cap = cap ? 2 * cap : 1 << 18;
			*out = fb_realloc(*out, cap, 1);
		}
		la_ssize_t n = archive_read_data(a, *out + *len, cap - *len);
		if (n <= 0) {
			rc = n < 0 ? ARCHIVE_FATAL : ARCHIVE_OK;
			break;
		}
		*len += (size_t)n;
		if (*len > MODULE_MAX)
			rc = ARCHIVE_FATAL;
	}
	if (rc != ARCHIVE_OK)
		fb_error_set(err, FB_E_USAGE, "cannot read the module %s",
			     path);
	archive_read_free(a);
	return rc == ARCHIVE_OK ? 0 : err->code;
}

static int add_module(struct archive *a, size_t nth, const char *path,
		      struct fb_error *err)
{
	fb_autofree char *data = NULL;
	size_t len;
	int rc = read_plain(path, &data, &len, err);
	if (rc)
		return rc;
	const char *base = strrchr(path, '/');
	base = base ? base + 1 : path;
	fb_autofree char *name = fb_strf("modules/%03zu-%.*s.ko", nth,
					 (int)strcspn(base, "."), base);
	if (add(a, name, S_IFREG | 0644, 0, data, len) != ARCHIVE_OK)
		return fb_error_set(err, FB_E_MACHINE, "cannot keep %s", path);
	return 0;
}

static int add_ours(FILE *f, const struct fb_initramfs *in,
		    struct fb_error *err)
{
	struct archive *a = begin(f);
	int rc = 0;
	int wrote = add(a, "firstbad.job", S_IFREG | 0644, 0, in->job,
			strlen(in->job));
	if (wrote == ARCHIVE_OK && in->modules->n)
		wrote = add(a, "modules", S_IFDIR | 0755, 0, NULL, 0);
	for (size_t i = 0; rc == 0 && i < in->modules->n; i++)
		rc = add_module(a, i, in->modules->v[i], err);
	if (end(a, wrote) != ARCHIVE_OK && rc == 0)
		rc = fb_error_set(err, FB_E_MACHINE,
				  "cannot write the initramfs");
	return rc;
}

int fb_initramfs_write(const char *path, const struct fb_initramfs *in,
		       struct fb_error *err)
{
	fb_autofclose FILE *f = fopen(path, "we");
	if (!f)
		return fb_error_errno(err, FB_E_MACHINE, "cannot create %s",
				      path);
	int rc = 0, probe = add_probe(f);
	for (size_t i = 0; rc == 0 && i < in->overlays->n; i++)
		rc = add_overlay(f, in->overlays->v[i], err);
	if (rc == 0)
		rc = add_ours(f, in, err);
	if (rc == 0 && (probe != ARCHIVE_OK || fflush(f)))
		rc = fb_error_set(err, FB_E_MACHINE,
				  "cannot write %s (is the disk full?)", path);
	return rc;
}
