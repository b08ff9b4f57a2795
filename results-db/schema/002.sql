-- SPDX-License-Identifier: GPL-2.0-or-later
-- Everything that a window tells, and what everything was set to.

-- The window that a figure was measured in: evidence, timeline and histograms
-- of the same boot and window belong to it. NULL for an exec runner's figures.
-- Samples of a boot whose outcome is not 'measured' are partial.
ALTER TABLE samples ADD COLUMN window TEXT;
UPDATE samples SET window = (
	SELECT e.window FROM evidence e WHERE e.boot = samples.boot AND
	(e.window = samples.metric OR
	 substr(samples.metric, 1, length(e.window) + 1) = e.window || '.')
	ORDER BY length(e.window) DESC LIMIT 1);

-- What vmstat shows, once a second while a window is open. Memory in KiB, si
-- to bo in KiB/s, in and cs per second, us to st in percent.
CREATE TABLE timeline (
	boot INTEGER NOT NULL REFERENCES boots(id) ON DELETE CASCADE,
	window TEXT NOT NULL,
	at REAL NOT NULL,		-- seconds since the window opened
	r REAL, b REAL, swpd REAL, free REAL, buff REAL, cache REAL,
	si REAL, so REAL, bi REAL, bo REAL, "in" REAL, cs REAL,
	us REAL, sy REAL, id REAL, wa REAL, st REAL,
	PRIMARY KEY (boot, window, at)
) WITHOUT ROWID;

-- How many operations took from low to below high nanoseconds.
CREATE TABLE histograms (
	boot INTEGER NOT NULL REFERENCES boots(id) ON DELETE CASCADE,
	window TEXT NOT NULL,
	operation TEXT NOT NULL,	-- 'read', 'write'
	low_ns REAL NOT NULL,
	high_ns REAL NOT NULL,
	count REAL NOT NULL,
	PRIMARY KEY (boot, window, operation, low_ns)
) WITHOUT ROWID;

-- What was set: 'system' (the guest's kernel), 'DISK/disk', 'machine', 'host'.
CREATE TABLE settings (
	boot INTEGER NOT NULL REFERENCES boots(id) ON DELETE CASCADE,
	subject TEXT NOT NULL,
	key TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (boot, subject, key)
) WITHOUT ROWID;
