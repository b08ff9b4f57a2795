/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kconfigs/, as part of the program. One row per fragment. */
#include <stddef.h>

#include "builder.h"
#include "fragments.h"

const struct fb_kconfig_fragment fb_kconfig_fragments[] = {
	{ "qemu", fragment_qemu },
	{ "btrfs", fragment_btrfs },
	{ "nvme", fragment_nvme },
	{ "pvpanic", fragment_pvpanic },
	{ "usb", fragment_usb },
	{ "userspace", fragment_userspace },
	{ "virtio", fragment_virtio },
	{ "xfs", fragment_xfs },
	{ NULL, NULL },
};
