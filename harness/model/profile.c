/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile.h"

#include <stddef.h>

/*
 * The requests a second of the two disks of 2007 are what 4 KiB requests came
 * to when merging was lost (18 and 33 MB/s in the report on 2.6.20-rc3), their
 * seeks what bonnie++ counted on such disks, about 190 a second.
 */
#define ROWS(ROW)                                                              \
	ROW("none", 0, 0, 0,                                                   \
	    "as fast as the host; the processor sets the pace")                \
	ROW("ata33-1998", 10e6, 2500, 11e-3, "ATA-33, 5400 rpm, of 1998")      \
	ROW("ide-2007", 51e6, 4600, 5.1e-3, "parallel ATA, 7200 rpm, of 2007") \
	ROW("sata-2007", 74e6, 8500, 5.1e-3, "SATA, 7200 rpm, of 2007")        \
	ROW("sata-ssd", 530e6, 90000, 0, "SATA SSD")

#define PROFILE(name, bytes, requests, seek, what) \
	{ name, bytes, requests, seek, what },
#define NAME(name, bytes, requests, seek, what) name,

const struct fb_profile fb_profiles[] = { ROWS(PROFILE){ NULL, 0, 0, 0,
							 NULL } };
const char *const fb_profile_names[] = { ROWS(NAME) NULL };
