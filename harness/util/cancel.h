/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interruption. SIGINT, SIGTERM and SIGHUP, unless ignored, set a flag; whatever waits in an
 * event loop also watches the descriptor, ends its children and returns
 * FB_E_CANCEL. A second signal ends the program at once.
 */
#ifndef FB_CANCEL_H
#define FB_CANCEL_H

#include <stdbool.h>

struct fb_error;

void fb_cancel_install(void);

bool fb_cancelled(void);

/* Readable once cancelled; -1 before fb_cancel_install(). Do not read it. */
int fb_cancel_fd(void);

/* FB_E_CANCEL with its message when cancelled, else 0. */
int fb_cancel_check(struct fb_error *err);

#endif
