/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probe as PID 1 of a guest: runs its job, reports, and ends the guest. */
#ifndef FB_PROBE_GUEST_H
#define FB_PROBE_GUEST_H

_Noreturn void guest(void);

#endif
