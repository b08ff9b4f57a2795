/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spindles.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cleanup.h"
#include "embedded.h"
#include "errors.h"
#include "file.h"
#include "process.h"
#include "profile.h"

bool fb_disk_turns(const struct fb_disk *disk)
{
	return fb_profiles[disk->profile].seek_seconds > 0;
}

int fb_spindle_plugin_install(const char *dir, char **path,
			      struct fb_error *err)
{
	fb_autofree char *nbdkit = fb_find_program("nbdkit");
	if (!nbdkit)
		return fb_error_set(err, FB_E_MACHINE,
				    "nbdkit is not installed; the profile of a "
				    "disk that turns needs it");
	*path = fb_strf("%s/firstbad-spindle.so", dir);
	int rc = fb_mkdir_p(dir, err);
	if (rc == 0)
		rc = fb_file_write(*path, fb_spindle_image,
				   fb_spindle_image_size, err);
	return rc;
}

static void on_exit_cb(uv_process_t *p, int64_t status, int signal)
{
	(void)status;
	(void)signal; /* QEMU's disk fails then, and that is noticed */
	uv_close((uv_handle_t *)p, NULL);
}

static int start_one(uv_process_t *handle, const struct fb_machine *m,
		     const char *image, const struct fb_profile *p,
		     uv_loop_t *loop, int socket, int log_fd)
{
	struct fb_strv argv = { 0 };
	fb_strv_add(&argv, "nbdkit");
	fb_strv_add(&argv, "--single");
	fb_strv_add(&argv, m->spindle_plugin);
	fb_strv_addf(&argv, "file=%s", image);
	fb_strv_addf(&argv, "rate=%.0f", p->bytes_per_second);
	fb_strv_addf(&argv, "seek=%.0f", p->seek_seconds * 1e6);
	fb_strv_addf(&argv, "command=%.0f", 1e6 / p->requests_per_second);
	struct fb_process process = { .argv = fb_strv_args(&argv),
				      .kill_signal = SIGKILL };
	uv_stdio_container_t stdio[] = {
		{ .flags = UV_INHERIT_FD, .data.fd = socket },
		{ .flags = UV_INHERIT_FD, .data.fd = socket },
		{ .flags = UV_INHERIT_FD, .data.fd = log_fd },
	};
	uv_process_options_t options = { .exit_cb = on_exit_cb,
					 .stdio = stdio,
					 .stdio_count = 3 };
	int rc = fb_process_spawn(loop, handle, &process, &options);
	fb_strv_release(&argv);
	return rc;
}

int fb_spindles_start(struct fb_spindles *s, const struct fb_machine *m,
		      const struct fb_config *cfg, uv_loop_t *loop, int log_fd,
		      struct fb_error *err)
{
	s->n = cfg->n_disks;
	for (size_t i = 0; i < s->n; i++)
		s->fd[i] = -1;
	for (size_t i = 0; i < s->n; i++) {
		const struct fb_disk *d = &cfg->disks[i];
		int pair[2];
		if (!fb_disk_turns(d))
			continue;
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
			return fb_error_errno(err, FB_E_MACHINE,
					      "no socket for disk %s", d->name);
		int rc = start_one(&s->process[i], m, m->images[i],
				   &fb_profiles[d->profile], loop, pair[1],
				   log_fd);
		close(pair[1]);
		s->fd[i] = pair[0];
		if (rc)
			return fb_error_set(err, FB_E_MACHINE,
					    "cannot start nbdkit: %s",
					    uv_strerror(rc));
	}
	return 0;
}

void fb_spindles_handed_over(struct fb_spindles *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->fd[i] >= 0)
			close(s->fd[i]);
		s->fd[i] = -1;
	}
}
