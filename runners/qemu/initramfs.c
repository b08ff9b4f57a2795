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

int fb_initramfs_write(const char *path, const char *job,
		       const struct fb_strv *overlays, struct fb_error *err)
{
	fb_autofclose FILE *f = fopen(path, "we");
	if (!f)
		return fb_error_errno(err, FB_E_MACHINE, "cannot create %s",
				      path);
	int rc = add_probe(f);
	for (size_t i = 0; rc == ARCHIVE_OK && i < overlays->n; i++)
		if (add_overlay(f, overlays->v[i], err))
			return err->code;
	if (rc == ARCHIVE_OK) {
		struct archive *a = begin(f);
		rc = end(a, add(a, "firstbad.job", S_IFREG | 0644, 0, job,
				strlen(job)));
	}
	if (rc != ARCHIVE_OK || fflush(f))
		return fb_error_set(err, FB_E_MACHINE,
				    "cannot write %s (is the disk full?)",
				    path);
	return 0;
}
