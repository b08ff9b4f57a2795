/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result channel's lines, shared by the probe (writer) and the host
 * (reader):
 *
 *	FB1 TOKEN SEQ LENGTH CRC32 JSON\n
 *
 * TOKEN is 16 hex digits chosen by the host for this boot, so that kernel
 * text is never taken for a result. SEQ counts from 0 without gaps. LENGTH is
 * the number of bytes of JSON, decimal. CRC32 (IEEE 802.3, reflected, as
 * zlib's crc32()) covers JSON, eight hex digits. Both numbers let a missing
 * or damaged line be noticed; such a boot has failed, it never reads as zero.
 */
#ifndef FB_FRAME_H
#define FB_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FB_FRAME_TOKEN_LEN 16
#define FB_FRAME_JSON_MAX 8192
#define FB_FRAME_LINE_MAX (FB_FRAME_JSON_MAX + 64)

uint32_t fb_crc32(const void *data, size_t len);

/*
 * Writes one line with its newline into `line` (FB_FRAME_LINE_MAX bytes) and
 * returns its length; 0 when the JSON is too long.
 */
size_t fb_frame_format(char *line, const char *token, unsigned seq,
		       const char *json);

enum fb_frame_status {
	FB_FRAME_OK,
	FB_FRAME_FOREIGN, /* not a frame of this boot: ignore it */
	FB_FRAME_DAMAGED  /* starts as one of ours, but does not add up */
};

/* On OK, *json points into `line` (modified only by our terminating it). */
enum fb_frame_status fb_frame_parse(char *line, size_t len, const char *token,
				    unsigned *seq, char **json);

#endif
