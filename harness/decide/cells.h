/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Candidates with the same relation to every tested commit cannot be told
 * apart: they form one cell, and share one likelihood. The signature of a cell
 * has bit j set iff tested commit j is, or descends from, its candidates.
 */
#ifndef FB_CELLS_H
#define FB_CELLS_H

#include <stddef.h>

#include "dag.h"

struct fb_cells {
	uint32_t n;	   /* cells; some may be empty */
	uint32_t *of;	   /* the cell of every commit, dag->n entries */
	uint32_t *size;	   /* commits in each cell */
	size_t n_tests;	   /* bits of a signature */
	uint8_t *contains; /* n rows of n_tests bytes, 0 or 1 */
};

/* Cells of the whole graph under `tested`; one ancestor walk each. */
void fb_cells_init(struct fb_cells *c, const struct fb_dag *dag,
		   const uint32_t *tested, size_t n);
void fb_cells_release(struct fb_cells *c);

/* Signature of one cell: n_tests bytes. */
static inline const uint8_t *fb_cells_row(const struct fb_cells *c,
					  uint32_t cell)
{
	return c->contains + cell * c->n_tests;
}

#endif
