/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When are two kernels the same one? */
#ifndef FB_SIGNATURE_H
#define FB_SIGNATURE_H

struct fb_error;

/*
 * SHA-256, as 64 hex digits, over what of an ELF kernel is loaded and runs:
 * of each section with SHF_ALLOC, in the order of the file, its name, address
 * and size, and its content unless it is empty at start (SHT_NOBITS). Notes
 * (the build id), symbols and debug information are left out. Kernels of equal
 * signature behave alike; what would make equal sources differ (time, user,
 * version) is pinned by the builder. FB_E_MACHINE when it is no ELF file.
 */
int fb_kernel_signature(const char *vmlinux, char **hex, struct fb_error *err);

#endif
