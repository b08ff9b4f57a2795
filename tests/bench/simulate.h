/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made-up histories with known culprits, whose builds and boots cost seconds.
 * The same trial number gives the same history, culprit and, after
 * world_reset(), the same noise, whatever method asks for it.
 *
 * Nodes are those of engine.h: 0..n-1 the commits, n-1 bad, n good.
 */
#ifndef FB_BENCH_SIMULATE_H
#define FB_BENCH_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "dag.h"

#define BUILD_COST 120.0
#define BOOT_COST 15.0

struct scene {
	const char *name;
	double drop, cv;
	uint32_t n;
	bool merges;	    /* or a line */
	double outliers;    /* share of boots at half speed */
	double drift;	    /* loss per hour, as a fraction */
	double unbuildable; /* share of commits, in blocks of 50 */
	double second;	    /* a second drop, elsewhere */
	double hump;	    /* share of boots that are 8 % slower */
};

struct world {
	const struct scene *s;
	struct fb_dag dag;
	uint32_t culprit, second; /* second: FB_DAG_NONE without */
	bool *bad, *worse, *broken, *built;
	double clock;
	unsigned builds, boots;
};

enum result { RIGHT, WRONG, NOTHING };

void world_init(struct world *w, const struct scene *s, uint64_t trial);
void world_release(struct world *w);

/* A new start on the same history, for the next method. */
void world_reset(struct world *w, uint64_t trial);

/* Builds when it must; false when it does not build. */
bool world_build(struct world *w, uint32_t x);

/* Throughput of one boot. */
double world_boot(struct world *w, uint32_t x);

#endif
