/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_image.h"

__asm__("	.section .rodata\n"
	"	.global fb_probe_image, fb_probe_image_size\n"
	"	.balign 16\n"
	"fb_probe_image:\n"
	"	.incbin \"" FB_PROBE "\"\n"
	"1:\n"
	"	.balign 8\n"
	"fb_probe_image_size:\n"
	"	.quad 1b - fb_probe_image\n"
	"	.previous\n");
