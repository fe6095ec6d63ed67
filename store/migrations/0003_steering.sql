-- Which agent resumeTask moves, the usage limit that last parked the run, and who rewrote an agent's brief.
ALTER TABLE pieces ADD COLUMN resumed_task TEXT NOT NULL DEFAULT '';
ALTER TABLE pieces ADD COLUMN limit_ends TEXT NOT NULL DEFAULT '';
ALTER TABLE pieces ADD COLUMN limit_resumed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN brief_by TEXT NOT NULL DEFAULT '';
