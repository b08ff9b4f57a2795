-- SPDX-License-Identifier: GPL-2.0-or-later
-- Times are seconds since 1970 (REAL), durations seconds, object ids hex.

-- One question: which commit between good and bad made the metric worse?
CREATE TABLE bisections (
	id INTEGER PRIMARY KEY,
	repo TEXT NOT NULL,		-- git directory
	worktree TEXT,			-- linked work tree with refs/bisect/*
	good TEXT NOT NULL,
	bad TEXT NOT NULL,
	first_parent INTEGER NOT NULL DEFAULT 0,
	metric TEXT NOT NULL,
	config TEXT NOT NULL,		-- the whole configuration, JSON
	started REAL NOT NULL,
	status TEXT NOT NULL DEFAULT 'running',
	reason TEXT,			-- one sentence for the status
	result TEXT,			-- the result object, JSON, once finished
	seconds_total REAL NOT NULL DEFAULT 0,	-- over all resumptions
	CHECK (length(good) = 40 AND length(bad) = 40)
);

-- A kernel by what it was made from: equal sources, options and compiler give
-- one row, however many commits and bisections it serves.
CREATE TABLE kernels (
	id INTEGER PRIMARY KEY,
	identity TEXT NOT NULL UNIQUE,	-- SHA-256 of tree, options, compiler
	tree TEXT NOT NULL,		-- object id of the sources
	config_hash TEXT NOT NULL,	-- SHA-256 of the resolved .config
	toolchain TEXT
);

-- One run of make. A failed build is a result like any other.
CREATE TABLE builds (
	id INTEGER PRIMARY KEY,
	bisection INTEGER REFERENCES bisections(id) ON DELETE CASCADE,
	revision TEXT NOT NULL,
	outcome TEXT NOT NULL,		-- 'measured' (built), 'build-failed'
	started REAL NOT NULL,
	seconds REAL NOT NULL,
	cached INTEGER NOT NULL,	-- taken from the cache, not built
	kernel INTEGER REFERENCES kernels(id),	-- NULL when it failed
	lost_options TEXT,		-- requested, but gone after olddefconfig
	error TEXT,			-- first error line
	log TEXT			-- path of the log
);

-- One boot of one kernel.
CREATE TABLE boots (
	id INTEGER PRIMARY KEY,
	bisection INTEGER REFERENCES bisections(id) ON DELETE CASCADE,
	build INTEGER REFERENCES builds(id) ON DELETE SET NULL,
	revision TEXT NOT NULL,
	phase TEXT NOT NULL,		-- 'ends', 'bases', 'search', 'verify', 'run'
	outcome TEXT NOT NULL,
	detail TEXT,
	started REAL NOT NULL,
	seconds REAL NOT NULL,		-- wall time
	probe_seconds REAL NOT NULL,	-- of that, inside workload windows
	clock TEXT,			-- 'kvm', 'icount', 'host'
	machine TEXT,
	console TEXT			-- path of the console log
);
CREATE INDEX boots_by_bisection ON boots(bisection, id);

-- The figures of a boot.
CREATE TABLE samples (
	boot INTEGER NOT NULL REFERENCES boots(id) ON DELETE CASCADE,
	metric TEXT NOT NULL,
	value REAL NOT NULL,
	PRIMARY KEY (boot, metric)
) WITHOUT ROWID;
CREATE INDEX samples_by_metric ON samples(metric, boot);

-- Counters around each window of a boot.
CREATE TABLE evidence (
	boot INTEGER NOT NULL REFERENCES boots(id) ON DELETE CASCADE,
	window TEXT NOT NULL,		-- a metric's name, or DISK/disk
	source TEXT NOT NULL,		-- diskstats, stat, vmstat, blockstats, ...
	key TEXT NOT NULL,
	value REAL NOT NULL,
	PRIMARY KEY (boot, window, source, key)
) WITHOUT ROWID;

-- What the engine chose to do, in order, and why.
CREATE TABLE decisions (
	id INTEGER PRIMARY KEY,
	bisection INTEGER NOT NULL REFERENCES bisections(id) ON DELETE CASCADE,
	revision TEXT,
	phase TEXT NOT NULL,
	action TEXT NOT NULL,		-- 'measure', 'found', ...
	reason TEXT NOT NULL,
	candidates INTEGER NOT NULL,
	at REAL NOT NULL
);

-- A tested commit and what it was marked as.
CREATE TABLE steps (
	bisection INTEGER NOT NULL REFERENCES bisections(id) ON DELETE CASCADE,
	seq INTEGER NOT NULL,
	revision TEXT NOT NULL,
	mark TEXT NOT NULL,		-- 'good', 'bad', 'skip'
	reason TEXT NOT NULL,
	PRIMARY KEY (bisection, seq),
	UNIQUE (bisection, revision)
);
