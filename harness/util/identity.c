/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "identity.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "text.h"

struct fb_hash {
	EVP_MD_CTX *ctx;
};

struct fb_hash *fb_hash_new(void)
{
	struct fb_hash *h = fb_malloc(sizeof(*h));
	h->ctx = EVP_MD_CTX_new();
	if (!h->ctx || !EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL))
		abort();
	return h;
}

void fb_hash_add(struct fb_hash *h, const void *data, size_t len)
{
	EVP_DigestUpdate(h->ctx, data, len);
}

char *fb_hash_end(struct fb_hash *h)
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned len = 0;
	EVP_DigestFinal_ex(h->ctx, sum, &len);
	EVP_MD_CTX_free(h->ctx);
	free(h);
	char *hex = fb_malloc(2 * len + 1);
	for (unsigned i = 0; i < len; i++)
		sprintf(hex + 2 * i, "%02x", sum[i]);
	return hex;
}

char *fb_identity(const char *const *parts, size_t n)
{
	struct fb_hash *h = fb_hash_new();
	for (size_t i = 0; i < n; i++)
		fb_hash_add(h, parts[i], strlen(parts[i]) + 1);
	return fb_hash_end(h);
}

void fb_random_hex(char *buf, size_t digits)
{
	for (size_t i = 0; i < digits; i++) {
		unsigned char c;
		if (getrandom(&c, 1, 0) != 1)
			abort();
		buf[i] = "0123456789abcdef"[c & 15];
	}
	buf[digits] = '\0';
}
