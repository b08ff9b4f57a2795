/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the bisect loop; private to harness/session. */
#ifndef FB_BISECT_PRIVATE_H
#define FB_BISECT_PRIVATE_H

#include <cjson/cJSON.h>

#include "engine.h"
#include "graph.h"
#include "session.h"

/* Two commits made for the proof: nodes behind the engine's merge bases. */
enum bisect_side { SIDE_REVERT, SIDE_APPLY, N_SIDES };

struct bisect_proof {
	const char *outcome; /* static; NULL: not tried */
	char *detail;	     /* or NULL */
	git_oid oid, on;     /* the commit made, and what it is made on */
	bool made;
};

/* A counter that the search steps by in the metric's place. */
struct bisect_surrogate {
	bool considered;	  /* chosen, or found that there is none */
	struct fb_engine *engine; /* NULL: none */
	uint32_t culprit;	  /* FB_DAG_NONE until it is found */
	bool given_up;		  /* it found none */
};

struct bisect {
	struct fb_session *s;
	struct fb_bisection rec; /* its row, id included */
	git_oid bad;
	git_oid *goods; /* the first one is the measured end point */
	size_t n_goods;
	git_oid *skips; /* by hand */
	size_t n_skips;
	git_oid *bases; /* when a good is no ancestor of bad */
	size_t n_bases;
	struct fb_strv paths;
	struct fb_graph graph;
	struct fb_engine *engine; /* of the metric */
	struct bisect_surrogate surrogate;
	struct bisect_proof proof[N_SIDES];
	/* Tested nodes in the order of their first attempt. */
	uint32_t *tested;
	size_t n_tested, cap_tested;
	enum fb_node_mark *marked; /* what git's state says of each node */
	char **failure;		   /* the last one of each node, or NULL */
	char *other_machine;	   /* that earlier boots ran on, or NULL */
	double begun;		   /* monotonic; time since is not yet in rec */
};

/* One boot that the loop wants. */
struct bisect_wish {
	uint32_t node;
	const char *phase; /* for the database, static */
	enum fb_extent extent;
};

/* An end point: its mark is the question, not an answer. */
static inline bool bisect_is_end(const struct bisect *b, uint32_t node)
{
	return node == b->graph.dag.n - 1 || node == b->graph.dag.n;
}

static inline uint32_t bisect_side_node(const struct bisect *b,
					enum bisect_side side)
{
	return b->graph.dag.n + 1 + (uint32_t)b->n_bases + side;
}

static inline size_t bisect_nodes(const struct bisect *b)
{
	return b->graph.dag.n + 1 + b->n_bases + N_SIDES;
}

/* ---- request.c: what is asked */

/* Fills in rec, goods, bad, skips and paths of a new bisection. */
int bisect_read_request(struct bisect *b, const struct fb_bisect_request *r,
			struct fb_error *err);
int bisect_store_new(struct bisect *b, struct fb_error *err);
/* The same from its row. */
int bisect_read_stored(struct bisect *b, const struct fb_bisection *stored,
		       struct fb_error *err);

/* ---- begin.c: graph and engine for it */

int bisect_load(struct bisect *b, struct fb_error *err);
void bisect_release(struct bisect *b);
/* Writes git's state; again at the end, when all marks are final. */
int bisect_start_git_state(struct bisect *b, struct fb_error *err);
struct fb_engine_params bisect_engine_params(const struct bisect *b);

/* ---- marks.c */

const git_oid *bisect_oid(const struct bisect *b, uint32_t node);
const char *bisect_phase_name(enum fb_phase phase);
uint32_t bisect_node(const struct bisect *b, const char *hex);

/* Is a lower value of the bisected metric the better one? */
bool bisect_lower_is_better(const struct bisect *b);

/* Does the search follow the surrogate? */
bool bisect_stepping(const struct bisect *b);

/* The engine that the search follows. */
struct fb_engine *bisect_guide(const struct bisect *b);

/* A node's first attempt puts it at the end of `tested`. */
void bisect_remember_tested(struct bisect *b, uint32_t node);

/* "panic: Kernel panic - not syncing: ..."; detail may be NULL. */
void bisect_remember_failure(struct bisect *b, uint32_t node,
			     const char *outcome, const char *detail);

/* The metric's engine; where only the surrogate was measured, that one's. */
struct fb_engine *bisect_judge(const struct bisect *b, uint32_t node,
			       const char **metric);
/* By its judge. */
enum fb_node_mark bisect_mark(const struct bisect *b, uint32_t node);

/* Good, bad or skip; false while it is untested or not clear yet. */
bool bisect_decided(const struct bisect *b, uint32_t node);

/* Carries one node's mark over into refs/bisect/ and BISECT_LOG. */
int bisect_mark_in_git(struct bisect *b, uint32_t node, struct fb_error *err);

/* The same for every tested node, and says what is new. */
int bisect_update_marks(struct bisect *b, struct fb_error *err);

/* ---- take.c: from boots to engines */

/* One boot of a node, as it happened or as the database tells it again. */
struct bisect_taken {
	uint32_t node;
	const char *phase, *detail;
	enum fb_outcome outcome;
	bool has_value;
	double value, at; /* second since 1970 */
};

void bisect_take(struct bisect *b, struct fb_engine *engine,
		 const struct bisect_taken *t);

/* Boots once, stores it and tells the engines. */
int bisect_boot(struct bisect *b, const struct bisect_wish *wish,
		int64_t decision, struct fb_error *err);

/* Everything that was measured before, from the database into the engine. */
int bisect_replay(struct bisect *b, struct fb_error *err);
/* The same for one engine and metric alone. */
int bisect_replay_metric(struct bisect *b, struct fb_engine *engine,
			 const char *metric, struct fb_error *err);

/* ---- metric.c: "auto" */

/*
 * Boots both end points with everything until the metric is chosen that
 * differs most clearly; sets rec.metric and the session's.
 */
int bisect_choose_metric(struct bisect *b, struct fb_error *err);

/*
 * Both ends' samples of every metric, in one phase or (NULL) in all that count;
 * release with fb_verdict_release().
 */
struct fb_verdict;
int bisect_end_samples(struct bisect *b, const char *phase,
		       struct fb_verdict *v, struct fb_error *err);

/* ---- surrogate.c */

/*
 * Looks for a counter to step by once the end points are decided and the
 * metric proves noisy.
 */
int bisect_consider_surrogate(struct bisect *b, struct fb_error *err);

/*
 * What to do next by the surrogate. False when it has nothing to say (any
 * more): the metric's own engine goes on.
 */
bool bisect_surrogate_next(struct bisect *b, struct fb_action *a,
			   struct bisect_wish *wish);

/* ---- proof.c */

/*
 * Bad without the culprit, and good with it. Whatever does not apply, build or
 * boot is an outcome of its own.
 */
int bisect_prove(struct bisect *b, uint32_t culprit, struct fb_error *err);
cJSON *bisect_proof_json(const struct bisect *b, enum bisect_side side);
/* One sentence when a side speaks against the culprit, or NULL. */
char *bisect_proof_doubt(const struct bisect *b, enum bisect_side side);

/* ---- bisect.c */

/* The reason when deadline or builds are used up, or NULL. */
char *bisect_out_of_budget(struct bisect *b, uint32_t node);
int bisect_store_time(struct bisect *b, struct fb_error *err);
/* Stores a decision of the session's own; *id is for its boots. */
int bisect_decide(struct bisect *b, const struct bisect_wish *wish,
		  const char *reason, int64_t *id, struct fb_error *err);

/* ---- conclude.c */

/* Writes the final log, and the result into the database. */
int bisect_conclude(struct bisect *b, const struct fb_action *end,
		    struct fb_error *err);

#endif
