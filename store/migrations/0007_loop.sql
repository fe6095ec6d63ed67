-- 0 is the default of pieces.Project's numbers.
ALTER TABLE projects ADD COLUMN loop_playing INTEGER NOT NULL DEFAULT 0 CHECK (loop_playing IN (0, 1));
ALTER TABLE projects ADD COLUMN loop_at_once INTEGER NOT NULL DEFAULT 0 CHECK (loop_at_once >= 0);
ALTER TABLE projects ADD COLUMN loop_open_prs INTEGER NOT NULL DEFAULT 0 CHECK (loop_open_prs >= 0);
