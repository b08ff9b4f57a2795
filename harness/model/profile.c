/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile.h"

#include <stddef.h>

/*
 * Requests a second of the two disks of 2007: what 4 KiB requests came to when
 * merging was lost (18 and 33 MB/s on the disks of the 2.6.20-rc3 report).
 */
#define ROWS(ROW)                                                             \
	ROW("none", 0, 0, "as fast as the host; the processor sets the pace") \
	ROW("ata33-1998", 10e6, 2500, "ATA-33 disk of 1998")                  \
	ROW("ide-2007", 51e6, 4600, "parallel ATA, 7200 rpm, of 2007")        \
	ROW("sata-2007", 73e6, 8500, "SATA, 7200 rpm, of 2007")               \
	ROW("sata-ssd", 530e6, 90000, "SATA SSD")

#define PROFILE(name, bytes, requests, what) { name, bytes, requests, what },
#define NAME(name, bytes, requests, what) name,

const struct fb_profile fb_profiles[] = { ROWS(PROFILE){ NULL, 0, 0, NULL } };
const char *const fb_profile_names[] = { ROWS(NAME) NULL };
