/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commit_graph.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "lines.h"
#include "text.h"

#define HEADER 8
#define ENTRY 12	 /* of the table of chunks */
#define HASH 20		 /* SHA-1 */
#define DATA (HASH + 16) /* tree, two parents, generation and date */
#define LAYERS 64
#define CHAIN_MAX (LAYERS * 64)
#define NO_PARENT 0x70000000u
#define MORE 0x80000000u /* the second parent is an index into the edges */

/* One file; its commits follow those of the files that it is based on. */
struct layer {
	const unsigned char *map;
	size_t size;
	const unsigned char *fanout, *oids, *data, *edges;
	uint32_t n, n_edges, first;
};

struct fb_commit_graph {
	struct layer layer[LAYERS];
	unsigned n_layers;
	uint32_t n;
};

static uint32_t get32(const unsigned char *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return ntohl(v);
}

static uint64_t get64(const unsigned char *p)
{
	return (uint64_t)get32(p) << 32 | get32(p + 4);
}

/* The chunk of this name and its size, or NULL. */
static const unsigned char *chunk(const struct layer *l, const char *name,
				  uint64_t *size)
{
	unsigned n = l->map[6];
	*size = 0;
	if (l->size < HEADER + (n + 1) * ENTRY + HASH)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		const unsigned char *row = l->map + HEADER + i * ENTRY;
		uint64_t from = get64(row + 4), to = get64(row + ENTRY + 4);
		if (memcmp(row, name, 4) != 0)
			continue;
		if (from > to || to > l->size - HASH)
			return NULL;
		*size = to - from;
		return l->map + from;
	}
	return NULL;
}

static bool parse(struct layer *l)
{
	uint64_t fanout, oids, data, edges;
	if (l->size < HEADER + HASH || memcmp(l->map, "CGPH\1\1", 6) != 0)
		return false;
	l->fanout = chunk(l, "OIDF", &fanout);
	l->oids = chunk(l, "OIDL", &oids);
	l->data = chunk(l, "CDAT", &data);
	l->edges = chunk(l, "EDGE", &edges);
	if (!l->fanout || !l->oids || !l->data || fanout != 256 * 4)
		return false;
	for (int i = 1; i < 256; i++)
		if (get32(l->fanout + 4 * i) < get32(l->fanout + 4 * (i - 1)))
			return false;
	l->n = get32(l->fanout + 255 * 4);
	l->n_edges = (uint32_t)(edges / 4);
	return oids == (uint64_t)l->n * HASH && data == (uint64_t)l->n * DATA;
}

static bool add_layer(struct fb_commit_graph *g, const char *path)
{
	struct stat st;
	fb_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || st.st_size < HEADER ||
	    g->n_layers == LAYERS)
		return false;
	struct layer *l = &g->layer[g->n_layers];
	void *map =
		mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	*l = (struct layer){ .map = map, .size = (size_t)st.st_size };
	g->n_layers++;
	if (!parse(l) || l->n > NO_PARENT - g->n)
		return false;
	l->first = g->n;
	g->n += l->n;
	return true;
}

/* A chain names its files by their hashes, the base first. */
static bool add_chain(struct fb_commit_graph *g, const char *objects)
{
	fb_autofree char *text = NULL;
	fb_autofree char *path =
		fb_strf("%s/info/commit-graphs/commit-graph-chain", objects);
	struct fb_error ignored = FB_ERROR_INIT;
	if (fb_file_read(path, CHAIN_MAX, &text, NULL, &ignored)) {
		fb_error_release(&ignored);
		return false;
	}
	char *rest = text, *line;
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		if (strspn(line, "0123456789abcdef") != strlen(line))
			return false;
		fb_autofree char *file = fb_strf(
			"%s/info/commit-graphs/graph-%s.graph", objects, line);
		if (!add_layer(g, file))
			return false;
	}
	return g->n_layers > 0;
}

struct fb_commit_graph *fb_commit_graph_open(const char *objects)
{
	struct fb_commit_graph *g = fb_calloc(1, sizeof(*g));
	fb_autofree char *single = fb_strf("%s/info/commit-graph", objects);
	/* git looks at the single file first, too. */
	bool ok = fb_exists(single) ? add_layer(g, single) :
				      add_chain(g, objects);
	if (!ok) {
		fb_commit_graph_close(g);
		return NULL;
	}
	return g;
}

void fb_commit_graph_close(struct fb_commit_graph *g)
{
	for (unsigned i = 0; g && i < g->n_layers; i++)
		munmap((void *)g->layer[i].map, g->layer[i].size);
	free(g);
}

uint32_t fb_commit_graph_size(const struct fb_commit_graph *g)
{
	return g->n;
}

static uint32_t find_in(const struct layer *l, const git_oid *oid)
{
	unsigned first = oid->id[0];
	uint32_t low = first ? get32(l->fanout + 4 * (first - 1)) : 0;
	uint32_t high = get32(l->fanout + 4 * first);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order =
			memcmp(oid->id, l->oids + (size_t)middle * HASH, HASH);
		if (order == 0)
			return l->first + middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return FB_COMMIT_NONE;
}

uint32_t fb_commit_graph_find(const struct fb_commit_graph *g,
			      const git_oid *oid)
{
	for (unsigned i = g->n_layers; i-- > 0;) {
		uint32_t x = find_in(&g->layer[i], oid);
		if (x != FB_COMMIT_NONE)
			return x;
	}
	return FB_COMMIT_NONE;
}

static const struct layer *layer_of(const struct fb_commit_graph *g, uint32_t x)
{
	unsigned i = g->n_layers - 1;
	while (g->layer[i].first > x)
		i--;
	return &g->layer[i];
}

void fb_commit_graph_oid(const struct fb_commit_graph *g, uint32_t x,
			 git_oid *oid)
{
	const struct layer *l = layer_of(g, x);
	memcpy(oid->id, l->oids + (size_t)(x - l->first) * HASH, HASH);
}

int fb_commit_graph_parents(const struct fb_commit_graph *g, uint32_t x,
			    uint32_t *parents, int max)
{
	const struct layer *l = layer_of(g, x);
	const unsigned char *row =
		l->data + (size_t)(x - l->first) * DATA + HASH;
	uint32_t p = get32(row), second = get32(row + 4);
	int n = 0;
	if (p == NO_PARENT)
		return 0;
	if (p >= g->n)
		return -1;
	if (n < max)
		parents[n] = p;
	n++;
	if (second == NO_PARENT)
		return n;
	if (!(second & MORE)) {
		if (second >= g->n)
			return -1;
		if (n < max)
			parents[n] = second;
		return n + 1;
	}
	for (uint32_t i = second & ~MORE; i < l->n_edges; i++) {
		uint32_t edge = get32(l->edges + (size_t)i * 4);
		if ((edge & ~MORE) >= g->n)
			return -1;
		if (n < max)
			parents[n] = edge & ~MORE;
		n++;
		if (edge & MORE)
			return n;
	}
	return -1;
}
