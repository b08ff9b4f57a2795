/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The disks of a boot that turn (profiles with a seek time): one nbdkit each
 * with our plugin, joined to QEMU by a socket pair. They end when QEMU does,
 * since the other end of their socket is gone then.
 */
#ifndef FB_SPINDLES_H
#define FB_SPINDLES_H

#include <uv.h>

#include "config.h"
#include "machine.h"

struct fb_spindles {
	uv_process_t process[FB_DISKS_MAX]; /* of the disk with that index */
	int fd[FB_DISKS_MAX]; /* QEMU's end; -1: the disk does not turn */
	size_t n;
};

/* Does this disk need one? */
bool fb_disk_turns(const struct fb_disk *disk);

/*
 * Starts them in `loop`. `s` must stay where it is until the loop has ended.
 * After a failure what was started ends by itself when the loop is drained.
 */
int fb_spindles_start(struct fb_spindles *s, const struct fb_machine *m,
		      const struct fb_config *cfg, uv_loop_t *loop, int log_fd,
		      struct fb_error *err);

/* Closes our copies of QEMU's ends, once QEMU has its own. */
void fb_spindles_handed_over(struct fb_spindles *s);

/*
 * Writes the plugin into `dir` and finds nbdkit; the path is the caller's to
 * free.
 */
int fb_spindle_plugin_install(const char *dir, char **path,
			      struct fb_error *err);

#endif
