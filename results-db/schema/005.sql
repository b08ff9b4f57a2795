-- SPDX-License-Identifier: GPL-2.0-or-later
-- What a kernel runs, what it was made from, and what a build was expected to
-- cost.

-- SHA-256 of what is loaded: equal ones behave alike. NULL: older rows.
ALTER TABLE kernels ADD COLUMN signature TEXT;
-- Path of the list of files that were read; may be gone.
ALTER TABLE kernels ADD COLUMN inputs TEXT;
-- Seconds expected; NULL: nothing was known to expect them from.
ALTER TABLE builds ADD COLUMN predicted REAL;
