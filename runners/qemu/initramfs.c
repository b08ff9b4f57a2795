/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cleanup.h"
#include "errors.h"
#include "probe_image.h"

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

int fb_initramfs_write(const char *path, const char *job, struct fb_error *err)
{
	fb_autofclose FILE *f = fopen(path, "we");
	if (!f)
		return fb_error_errno(err, FB_E_MACHINE, "cannot create %s",
				      path);
	struct archive *a = begin(f);
	int rc = add(a, "dev", S_IFDIR | 0755, 0, NULL, 0);
	if (rc == ARCHIVE_OK)
		rc = add(a, "dev/console", S_IFCHR | 0600, makedev(5, 1), NULL,
			 0);
	if (rc == ARCHIVE_OK)
		rc = add(a, "init", S_IFREG | 0755, 0, fb_probe_image,
			 fb_probe_image_size);
	rc = end(a, rc);
	if (rc == ARCHIVE_OK) {
		a = begin(f);
		rc = end(a, add(a, "firstbad.job", S_IFREG | 0644, 0, job,
				strlen(job)));
	}
	if (rc != ARCHIVE_OK || fflush(f))
		return fb_error_set(err, FB_E_MACHINE,
				    "cannot write %s (is the disk full?)",
				    path);
	return 0;
}
