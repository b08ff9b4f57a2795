-- SPDX-License-Identifier: GPL-2.0-or-later
-- A/B comparisons: two arms that differ on one axis.

CREATE TABLE comparisons (
	id INTEGER PRIMARY KEY,
	axis TEXT NOT NULL,		-- 'kernel', 'kconfig', ..., see verdict.h
	a TEXT NOT NULL,		-- what each arm is on that axis
	b TEXT NOT NULL,
	revision TEXT,			-- of both arms on the other axes
	repo TEXT NOT NULL,
	config TEXT NOT NULL,		-- the configuration that both share, JSON
	started REAL NOT NULL,
	status TEXT NOT NULL DEFAULT 'running',
	reason TEXT,
	result TEXT,			-- the result object, JSON, once finished
	drift REAL			-- of the metric, ln per hour, both arms
);

-- boots.phase is then 'a' or 'b'.
ALTER TABLE builds ADD COLUMN comparison INTEGER REFERENCES comparisons(id)
	ON DELETE CASCADE;
ALTER TABLE boots ADD COLUMN comparison INTEGER REFERENCES comparisons(id)
	ON DELETE CASCADE;
CREATE INDEX boots_by_comparison ON boots(comparison, id);
