-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the engine knew before and after each decision, what it led to, and
-- what a person had marked or limited before.

-- JSON: p_bad of the decision's commit, the most likely culprit, ...
ALTER TABLE decisions ADD COLUMN before TEXT;
ALTER TABLE decisions ADD COLUMN after TEXT;
ALTER TABLE builds ADD COLUMN decision INTEGER REFERENCES decisions(id)
	ON DELETE SET NULL;
-- boots.phase may be 'surrogate', 'revert' and 'apply' as well.
ALTER TABLE boots ADD COLUMN decision INTEGER REFERENCES decisions(id)
	ON DELETE SET NULL;
CREATE INDEX builds_by_decision ON builds(decision);
CREATE INDEX boots_by_decision ON boots(decision);

-- Words for good and bad in git's state; NULL: those.
ALTER TABLE bisections ADD COLUMN term_good TEXT;
ALTER TABLE bisections ADD COLUMN term_bad TEXT;
-- Only commits that touch one of these; JSON list, NULL: all.
ALTER TABLE bisections ADD COLUMN paths TEXT;
-- The metric whose steps the search follows instead, once it is chosen.
ALTER TABLE bisections ADD COLUMN surrogate TEXT;

-- Marks that a person had made before, from git's bisect log.
CREATE TABLE marks (
	bisection INTEGER NOT NULL REFERENCES bisections(id) ON DELETE CASCADE,
	seq INTEGER NOT NULL,
	revision TEXT NOT NULL,
	mark TEXT NOT NULL,		-- 'good', 'bad', 'skip'
	PRIMARY KEY (bisection, seq)
) WITHOUT ROWID;
