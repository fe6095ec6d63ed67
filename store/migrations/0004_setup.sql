-- The script that each new worktree of a project is made ready with, and the hash of the text that the person allowed.
ALTER TABLE projects ADD COLUMN setup_script TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN setup_allowed TEXT NOT NULL DEFAULT '';
-- Worktrees that are there already were made before any of it.
ALTER TABLE worktrees ADD COLUMN prepared INTEGER NOT NULL DEFAULT 0;
UPDATE worktrees SET prepared = 1;
