/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drives a libFuzzer target without libFuzzer: mutates files for a while. The
 * same seed gives the same inputs.
 *
 * usage: PROGRAM SECONDS FILE...
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE_MAX_INPUT 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return n ? (uint32_t)(state >> 33) % n : 0;
}

struct input {
	uint8_t bytes[SIZE_MAX_INPUT];
	size_t n;
};

static bool load(struct input *in, const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return false;
	in->n = fread(in->bytes, 1, sizeof(in->bytes), f);
	fclose(f);
	return true;
}

static void cut(struct input *in)
{
	size_t at = below((uint32_t)in->n + 1);
	size_t n = below((uint32_t)(in->n - at) + 1);
	if (below(2))
		n = n < 80 ? n : 80;
	memmove(in->bytes + at, in->bytes + at + n, in->n - at - n);
	in->n -= n;
}

static void insert(struct input *in, const uint8_t *from, size_t n)
{
	size_t at = below((uint32_t)in->n + 1);
	if (in->n + n > sizeof(in->bytes))
		return;
	memmove(in->bytes + at + n, in->bytes + at, in->n - at);
	memcpy(in->bytes + at, from, n);
	in->n += n;
}

static void change(struct input *in)
{
	static const char *const words[] = {
		"\n",	    "> ",
		":",	    "+++++",
		"0",	    "-1",
		"1e308",    "nan",
		",",	    ".",
		"\r\n",	    "\t",
		" = ",	    "99999999999999999999",
		"/dev/",    "a) ",
		"1) ",	    "{",
		"}",	    "procs ",
		"\xc2\xa0", " MB/s",
		" sec",	    " s,",
		"%CP",	    "total",
		"Latency",
	};
	const char *w = words[below(sizeof(words) / sizeof(words[0]))];
	uint8_t byte = (uint8_t)below(256);
	switch (below(4)) {
	case 0:
		insert(in, (const uint8_t *)w, strlen(w));
		break;
	case 1:
		insert(in, &byte, 1);
		break;
	case 2:
		if (in->n)
			in->bytes[below((uint32_t)in->n)] = byte;
		break;
	default:
		cut(in);
	}
}

int main(int argc, char **argv)
{
	static struct input in, other;
	unsigned long runs = 0;
	if (argc < 3)
		return 2;
	time_t end = time(NULL) + atoi(argv[1]);
	while (time(NULL) < end) {
		if (!load(&in, argv[2 + runs % (unsigned)(argc - 2)]))
			return 2;
		if (runs >= (unsigned)argc)
			for (uint32_t k = below(8); k > 0; k--)
				change(&in);
		if (below(3) == 0 &&
		    load(&other, argv[2 + below((uint32_t)argc - 2)])) {
			size_t at = below((uint32_t)other.n + 1);
			insert(&in, other.bytes + at,
			       below((uint32_t)(other.n - at) + 1));
		}
		LLVMFuzzerTestOneInput(in.bytes, in.n);
		runs++;
	}
	printf("%lu inputs\n", runs);
	return 0;
}
