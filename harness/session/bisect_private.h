/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the bisect loop; private to harness/session. */
#ifndef FB_BISECT_PRIVATE_H
#define FB_BISECT_PRIVATE_H

#include "engine.h"
#include "graph.h"
#include "session.h"

struct bisect {
	struct fb_session *s;
	struct fb_bisection rec; /* its row, id included */
	git_oid good, bad;
	git_oid *bases; /* when good is no ancestor of bad */
	size_t n_bases;
	struct fb_graph graph;
	struct fb_engine *engine;
	/* Tested nodes in the order of their first attempt. */
	uint32_t *tested;
	size_t n_tested, cap_tested;
	enum fb_node_mark *marked; /* what git's state says of each node */
	char **failure;		   /* the last one of each node, or NULL */
	char *other_machine;	   /* that earlier boots ran on, or NULL */
	double begun;		   /* monotonic; time since is not yet in rec */
};

/* An end point: its mark is the question, not an answer. */
static inline bool bisect_is_end(const struct bisect *b, uint32_t node)
{
	return node == b->graph.dag.n - 1 || node == b->graph.dag.n;
}

/* Is a lower value of the configured metric the better one? */
bool bisect_lower_is_better(const struct fb_config *cfg);

const git_oid *bisect_oid(const struct bisect *b, uint32_t node);
const char *bisect_phase_name(enum fb_phase phase);
uint32_t bisect_node(const struct bisect *b, const char *hex);

/* A node's first attempt puts it at the end of `tested`. */
void bisect_remember_tested(struct bisect *b, uint32_t node);

/* "panic: Kernel panic - not syncing: ..."; detail may be NULL. */
void bisect_remember_failure(struct bisect *b, uint32_t node,
			     const char *outcome, const char *detail);

/* Everything that was measured before, from the database into the engine. */
int bisect_replay(struct bisect *b, struct fb_error *err);

/* Good, bad or skip; false while it is untested or not clear yet. */
bool bisect_decided(const struct bisect *b, uint32_t node);

/* Carries one node's mark over into refs/bisect/ and BISECT_LOG. */
int bisect_mark_in_git(struct bisect *b, uint32_t node, struct fb_error *err);

/* The same for every tested node, and says what is new. */
int bisect_update_marks(struct bisect *b, struct fb_error *err);

/* Writes the final log, and the result into the database. */
int bisect_conclude(struct bisect *b, const struct fb_action *end,
		    struct fb_error *err);

#endif
