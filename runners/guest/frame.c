/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "frame.h"

#include <stdio.h>
#include <string.h>

#define MAGIC "FB1 "

uint32_t fb_crc32(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint32_t crc = 0xffffffff;
	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0xedb88320 & -(crc & 1));
	}
	return ~crc;
}

size_t fb_frame_format(char *line, const char *token, unsigned seq,
		       const char *json)
{
	size_t len = strlen(json);
	if (len > FB_FRAME_JSON_MAX)
		return 0;
	int n = snprintf(line, FB_FRAME_LINE_MAX, MAGIC "%s %u %zu %08x %s\n",
			 token, seq, len, (unsigned)fb_crc32(json, len), json);
	return n > 0 && n < FB_FRAME_LINE_MAX ? (size_t)n : 0;
}

enum fb_frame_status fb_frame_parse(char *line, size_t len, const char *token,
				    unsigned *seq, char **json)
{
	size_t head = strlen(MAGIC);
	if (len < head + FB_FRAME_TOKEN_LEN + 1 ||
	    memcmp(line, MAGIC, head) != 0 ||
	    memcmp(line + head, token, FB_FRAME_TOKEN_LEN) != 0)
		return FB_FRAME_FOREIGN;

	size_t claimed;
	unsigned crc;
	int at = 0;
	const char *rest = line + head + FB_FRAME_TOKEN_LEN;
	if (sscanf(rest, " %9u %9zu %8x%n", seq, &claimed, &crc, &at) != 3 ||
	    rest[at] != ' ')
		return FB_FRAME_DAMAGED;
	char *body = line + (rest - line) + at + 1;
	size_t got = len - (size_t)(body - line);
	if (got != claimed || fb_crc32(body, got) != crc)
		return FB_FRAME_DAMAGED;
	*json = body;
	return FB_FRAME_OK;
}
