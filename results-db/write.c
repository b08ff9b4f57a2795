/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock.h"
#include "db_private.h"

int fb_db_bisection_add(struct fb_db *db, struct fb_bisection *b,
			struct fb_error *err)
{
	b->started = fb_wall();
	int rc = db_run(
		db,
		db_prepare(db,
			   "INSERT INTO bisections (repo, worktree, good, bad, "
			   "first_parent, metric, config, started, term_good, "
			   "term_bad, paths) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
			   "ssssissdsss", b->repo, b->worktree, b->good, b->bad,
			   (int64_t)b->first_parent, b->metric, b->config,
			   b->started, b->term_good, b->term_bad, b->paths),
		err);
	b->id = sqlite3_last_insert_rowid(db->sql);
	return rc;
}

int fb_db_bisection_metric(struct fb_db *db, const struct fb_bisection *b,
			   struct fb_error *err)
{
	return db_run(db,
		      db_prepare(db,
				 "UPDATE bisections SET metric = ?, "
				 "surrogate = ? WHERE id = ?",
				 "ssi", b->metric, b->surrogate, b->id),
		      err);
}

int fb_db_bisection_finish(struct fb_db *db, int64_t id, const char *status,
			   const char *reason, const char *result,
			   struct fb_error *err)
{
	return db_run(db,
		      db_prepare(db,
				 "UPDATE bisections SET status = ?, reason = ?,"
				 " result = ? WHERE id = ?",
				 "sssi", status, reason, result, id),
		      err);
}

int fb_db_bisection_spent(struct fb_db *db, int64_t id, double seconds,
			  struct fb_error *err)
{
	return db_run(db,
		      db_prepare(db,
				 "UPDATE bisections SET seconds_total = "
				 "seconds_total + ? WHERE id = ?",
				 "di", seconds, id),
		      err);
}

/* The kernel's row, made when it is new; a failed build has none. */
static int find_kernel(struct fb_db *db, const struct fb_build *b, int64_t *id,
		       struct fb_error *err)
{
	*id = 0;
	if (b->outcome != FB_OUTCOME_MEASURED)
		return 0;
	int rc = db_run(
		db,
		db_prepare(db,
			   "INSERT INTO kernels (identity, tree, "
			   "config_hash, toolchain, signature, inputs) "
			   "VALUES (?,?,?,?,?,?) ON CONFLICT (identity) "
			   "DO UPDATE SET signature = "
			   "excluded.signature, "
			   "inputs = excluded.inputs",
			   "ssssss", b->identity, b->tree, b->config_hash,
			   b->toolchain, b->signature, b->inputs),
		err);
	if (rc)
		return rc;
	rc = db_each(db,
		     db_prepare(db, "SELECT id FROM kernels WHERE identity = ?",
				"s", b->identity),
		     db_first_int, id, err);
	return rc < 0 ? rc : 0;
}

static int add_build(struct fb_db *db, struct fb_purpose p,
		     const char *revision, const struct fb_build *b,
		     struct fb_error *err)
{
	int64_t kernel;
	int rc = find_kernel(db, b, &kernel, err);
	if (rc)
		return rc;
	return db_run(
		db,
		db_prepare(db,
			   "INSERT INTO builds (bisection, revision, outcome, "
			   "started, seconds, cached, kernel, lost_options, "
			   "error, log, decision, comparison, predicted) "
			   "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,nullif(?, 0))",
			   "kssddikssskkd", p.bisection, revision,
			   fb_outcome_name(b->outcome), fb_wall() - b->seconds,
			   b->seconds, (int64_t)b->cached, kernel, b->lost,
			   b->error, b->log, p.decision, p.comparison,
			   b->predicted),
		err);
}

int fb_db_build_add(struct fb_db *db, struct fb_purpose purpose,
		    const char *revision, const struct fb_build *b, int64_t *id,
		    struct fb_error *err)
{
	int rc = db_begin(db, err);
	if (rc)
		return rc;
	rc = add_build(db, purpose, revision, b, err);
	*id = sqlite3_last_insert_rowid(db->sql);
	return db_end(db, rc, err);
}

static int add_samples(struct fb_db *db, int64_t id, const struct fb_boot *boot,
		       struct fb_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < boot->n_samples; i++)
		rc = db_run(db,
			    db_prepare(db,
				       "INSERT OR REPLACE INTO samples "
				       "(boot, metric, value, window) "
				       "VALUES (?,?,?,?)",
				       "isds", id, boot->samples[i].metric,
				       boot->samples[i].value,
				       boot->samples[i].window),
			    err);
	return rc;
}

static int add_evidence(struct fb_db *db, int64_t id,
			const struct fb_boot *boot, struct fb_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < boot->n_evidence; i++) {
		const struct fb_evidence *e = &boot->evidence[i];
		rc = db_run(db,
			    db_prepare(db,
				       "INSERT OR REPLACE INTO evidence "
				       "VALUES (?,?,?,?,?)",
				       "isssd", id, e->window, e->source,
				       e->key, e->value),
			    err);
	}
	for (size_t i = 0; rc == 0 && i < boot->n_settings; i++) {
		const struct fb_setting *s = &boot->settings[i];
		rc = db_run(db,
			    db_prepare(db,
				       "INSERT OR REPLACE INTO settings "
				       "VALUES (?,?,?,?)",
				       "isss", id, s->subject, s->key,
				       s->value),
			    err);
	}
	return rc;
}

static int add_timeline(struct fb_db *db, int64_t id,
			const struct fb_boot *boot, struct fb_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < boot->n_timeline; i++) {
		const struct fb_timeline_row *r = &boot->timeline[i];
		const double *v = r->v;
		rc = db_run(db,
			    db_prepare(db,
				       "INSERT OR REPLACE INTO timeline VALUES "
				       "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
				       "?,?)",
				       "isdddddddddddddddddd", id, r->window,
				       r->at, v[0], v[1], v[2], v[3], v[4],
				       v[5], v[6], v[7], v[8], v[9], v[10],
				       v[11], v[12], v[13], v[14], v[15],
				       v[16]),
			    err);
	}
	for (size_t i = 0; rc == 0 && i < boot->n_buckets; i++) {
		const struct fb_bucket *b = &boot->buckets[i];
		rc = db_run(db,
			    db_prepare(db,
				       "INSERT OR REPLACE INTO histograms "
				       "VALUES (?,?,?,?,?,?)",
				       "issddd", id, b->window, b->operation,
				       b->low, b->high, b->count),
			    err);
	}
	return rc;
}

static int add_figures(struct fb_db *db, int64_t id, const struct fb_boot *boot,
		       struct fb_error *err)
{
	int rc = add_samples(db, id, boot, err);
	if (rc == 0)
		rc = add_evidence(db, id, boot, err);
	return rc ? rc : add_timeline(db, id, boot, err);
}

int fb_db_boot_add(struct fb_db *db, const struct fb_boot_key *key,
		   const struct fb_boot *boot, int64_t *id,
		   struct fb_error *err)
{
	int rc = db_begin(db, err);
	if (rc)
		return rc;
	rc = db_run(db,
		    db_prepare(db,
			       "INSERT INTO boots (bisection, build, revision, "
			       "phase, outcome, detail, started, seconds, "
			       "probe_seconds, clock, machine, console, "
			       "decision, comparison) "
			       "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			       "kkssssdddssskk", key->purpose.bisection,
			       key->build, key->revision, key->phase,
			       fb_outcome_name(boot->outcome), boot->detail,
			       fb_wall() - boot->seconds, boot->seconds,
			       boot->probe_seconds, boot->clock, boot->machine,
			       boot->console, key->purpose.decision,
			       key->purpose.comparison),
		    err);
	*id = sqlite3_last_insert_rowid(db->sql);
	if (rc == 0)
		rc = add_figures(db, *id, boot, err);
	return db_end(db, rc, err);
}

int fb_db_decision_add(struct fb_db *db, int64_t bisection,
		       const struct fb_decision *d, int64_t *id,
		       struct fb_error *err)
{
	int rc =
		db_run(db,
		       db_prepare(db,
				  "INSERT INTO decisions (bisection, revision, "
				  "phase, action, reason, candidates, at, "
				  "before) VALUES (?,?,?,?,?,?,?,?)",
				  "issssids", bisection, d->revision, d->phase,
				  d->action, d->reason, (int64_t)d->candidates,
				  fb_wall(), d->before),
		       err);
	*id = sqlite3_last_insert_rowid(db->sql);
	return rc;
}

int fb_db_decision_done(struct fb_db *db, int64_t id, const char *after,
			struct fb_error *err)
{
	return db_run(db,
		      db_prepare(db,
				 "UPDATE decisions SET after = ? WHERE id = ?",
				 "si", after, id),
		      err);
}

int fb_db_mark_add(struct fb_db *db, int64_t bisection, const char *revision,
		   const char *mark, struct fb_error *err)
{
	return db_run(
		db,
		db_prepare(db,
			   "INSERT INTO marks SELECT ?1, count(*), ?2, ?3 "
			   "FROM marks WHERE bisection = ?1",
			   "iss", bisection, revision, mark),
		err);
}

int fb_db_steps_set(struct fb_db *db, int64_t bisection,
		    const struct fb_step *steps, size_t n, struct fb_error *err)
{
	int rc = db_begin(db, err);
	if (rc)
		return rc;
	rc = db_run(db,
		    db_prepare(db, "DELETE FROM steps WHERE bisection = ?", "i",
			       bisection),
		    err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = db_run(db,
			    db_prepare(db,
				       "INSERT INTO steps VALUES (?,?,?,?,?)",
				       "iisss", bisection, (int64_t)i,
				       steps[i].revision, steps[i].mark,
				       steps[i].reason),
			    err);
	return db_end(db, rc, err);
}
