/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "identity.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "text.h"

char *fb_identity(const char *const *parts, size_t n)
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned len = 0;
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	if (!ctx || !EVP_DigestInit_ex(ctx, EVP_sha256(), NULL))
		abort();
	for (size_t i = 0; i < n; i++)
		EVP_DigestUpdate(ctx, parts[i], strlen(parts[i]) + 1);
	EVP_DigestFinal_ex(ctx, sum, &len);
	EVP_MD_CTX_free(ctx);
	char *hex = fb_malloc(2 * len + 1);
	for (unsigned i = 0; i < len; i++)
		sprintf(hex + 2 * i, "%02x", sum[i]);
	return hex;
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
