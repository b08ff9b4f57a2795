/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "cleanup.h"
#include "errors.h"
#include "text.h"

int fb_file_read(const char *path, size_t max, char **out, size_t *len,
		 struct fb_error *err)
{
	fb_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fb_error_errno(
			err, errno == ENOENT ? FB_E_NOTFOUND : FB_E_USAGE,
			"cannot read %s", path);
	fb_autofree char *buf = NULL;
	size_t n = 0, cap = 0;
	for (;;) {
		if (n + 1 >= cap) {
			cap = cap ? 2 * cap : 16384;
			buf = fb_realloc(buf, cap, 1);
		}
		ssize_t r = read(fd, buf + n, cap - n - 1);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return fb_error_errno(err, FB_E_USAGE, "cannot read %s",
					      path);
		if (r == 0)
			break;
		n += (size_t)r;
		if (n > max)
			return fb_error_set(err, FB_E_USAGE,
					    "%s is larger than %zu bytes", path,
					    max);
	}
	buf[n] = '\0';
	if (len)
		*len = n;
	*out = steal_ptr(buf);
	return 0;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t w = write(fd, data, len);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -1;
		data += w;
		len -= (size_t)w;
	}
	return 0;
}

int fb_file_write(const char *path, const void *data, size_t len,
		  struct fb_error *err)
{
	fb_autofree char *tmp = fb_strf("%s.tmp.%ld", path, (long)getpid());
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return fb_error_errno(err, FB_E_MACHINE, "cannot create %s",
				      tmp);
	int bad = write_all(fd, data, len) || fsync(fd);
	int saved = errno;
	bad |= close(fd);
	if (!bad && rename(tmp, path) == 0)
		return 0;
	if (bad)
		errno = saved;
	fb_error_errno(err, FB_E_MACHINE, "cannot write %s", path);
	unlink(tmp);
	return err->code;
}

int fb_file_append(const char *path, const char *text, struct fb_error *err)
{
	fb_autoclose int fd =
		open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0 || write_all(fd, text, strlen(text)))
		return fb_error_errno(err, FB_E_MACHINE, "cannot append to %s",
				      path);
	return 0;
}

int fb_mkdir_p(const char *path, struct fb_error *err)
{
	fb_autofree char *copy = fb_strdup(path);
	for (char *p = copy + 1;; p++) {
		if (*p != '/' && *p != '\0')
			continue;
		char c = *p;
		*p = '\0';
		struct stat st;
		if (mkdir(copy, 0777) && errno != EEXIST &&
		    !(stat(copy, &st) == 0 && S_ISDIR(st.st_mode)))
			return fb_error_errno(err, FB_E_USAGE,
					      "cannot create directory %s",
					      copy);
		*p = c;
		if (c == '\0')
			return 0;
	}
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

int fb_rm_rf(const char *path, struct fb_error *err)
{
	if (!fb_exists(path))
		return 0;
	if (nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT))
		return fb_error_errno(err, FB_E_MACHINE, "cannot remove %s",
				      path);
	return 0;
}

bool fb_exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

int fb_file_copy(const char *from, const char *to, struct fb_error *err)
{
	fb_autoclose int in = open(from, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (in < 0 || fstat(in, &st))
		return fb_error_errno(err, FB_E_MACHINE, "cannot read %s",
				      from);
	fb_autofree char *tmp = fb_strf("%s.tmp.%ld", to, (long)getpid());
	int out = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out < 0)
		return fb_error_errno(err, FB_E_MACHINE, "cannot create %s",
				      tmp);
	int bad = 0;
	if (ioctl(out, FICLONE, in)) {
		off_t left = st.st_size;
		while (left > 0 && !bad) {
			ssize_t n = copy_file_range(in, NULL, out, NULL,
						    (size_t)left, 0);
			if (n <= 0)
				n = sendfile(out, in, NULL, (size_t)left);
			bad = n <= 0;
			left -= n;
		}
	}
	bad = bad || fsync(out);
	int saved = errno;
	bad |= close(out);
	if (!bad && rename(tmp, to) == 0)
		return 0;
	errno = saved;
	fb_error_errno(err, FB_E_MACHINE, "cannot copy %s to %s", from, to);
	unlink(tmp);
	return err->code;
}

int fb_need_space(const char *path, uint64_t need, struct fb_error *err)
{
	struct statvfs vfs;
	if (statvfs(path, &vfs))
		return fb_error_errno(err, FB_E_MACHINE,
				      "cannot see free space of %s", path);
	uint64_t avail = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (avail < need)
		return fb_error_set(err, FB_E_MACHINE,
				    "no space: %s has %" PRIu64
				    " MiB free, %" PRIu64
				    " MiB are needed; free some, or choose "
				    "another place with --state or "
				    "XDG_CACHE_HOME",
				    path, avail >> 20, need >> 20);
	return 0;
}

int fb_lock(const char *path, const char *advice, int *fd, struct fb_error *err)
{
	int f = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (f < 0)
		return fb_error_errno(err, FB_E_USAGE, "cannot open %s", path);
	if (flock(f, LOCK_EX | LOCK_NB)) {
		char who[32] = "";
		ssize_t n = pread(f, who, sizeof(who) - 1, 0);
		close(f);
		return fb_error_set(err, FB_E_USAGE,
				    "another firstbad (process %.*s) uses %s; "
				    "%s",
				    n > 0 ? (int)strcspn(who, "\n") : 1,
				    n > 0 ? who : "?", path, advice);
	}
	char pid[32];
	int len = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	if (ftruncate(f, 0) || pwrite(f, pid, (size_t)len, 0) != len) {
		fb_error_errno(err, FB_E_USAGE, "cannot write %s", path);
		close(f);
		return err->code;
	}
	*fd = f;
	return 0;
}

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

char *fb_find_program(const char *name)
{
	if (strchr(name, '/'))
		return is_program(name) ? fb_strdup(name) : NULL;
	/* mke2fs and its kind are not on an ordinary user's PATH. */
	const char *set = getenv("PATH");
	fb_autofree char *all =
		fb_strf("%s:/usr/sbin:/sbin", set ? set : "/usr/bin:/bin");
	const char *path = all;
	while (*path) {
		size_t n = strcspn(path, ":");
		fb_autofree char *full = fb_strf("%.*s/%s", (int)n, path, name);
		if (n && is_program(full))
			return steal_ptr(full);
		path += n + (path[n] == ':');
	}
	return NULL;
}
