/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "embedded.h"

#define EMBED(name, file)                            \
	__asm__("	.section .rodata\n"                \
		"	.global " name "\n"          \
		"	.global " name "_size\n"     \
		"	.balign 16\n" name ":\n"     \
		"	.incbin \"" file "\"\n"      \
		"1:\n"                               \
		"	.balign 8\n" name "_size:\n" \
		"	.quad 1b - " name "\n"       \
		"	.previous\n")

EMBED("fb_probe_image", FB_PROBE);
EMBED("fb_spindle_image", FB_SPINDLE);
