/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for content, for the cache. */
#ifndef FB_IDENTITY_H
#define FB_IDENTITY_H

#include <stddef.h>

/* SHA-256 of what is added, as 64 hex digits; end frees the hash. */
struct fb_hash;
struct fb_hash *fb_hash_new(void);
void fb_hash_add(struct fb_hash *h, const void *data, size_t len);
char *fb_hash_end(struct fb_hash *h);

/*
 * SHA-256 over the strings, each with its terminating NUL, as 64 hex digits.
 * The caller frees.
 */
char *fb_identity(const char *const *parts, size_t n);

/* Fills buf with random hex digits and a NUL: digits + 1 bytes. */
void fb_random_hex(char *buf, size_t digits);

#endif
