-- A session that the person put out of sight; its row and its transcript stay. And the fresh one that took the place of a
-- session that could not be resumed.
ALTER TABLE sessions ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1));
ALTER TABLE sessions ADD COLUMN replaced_by TEXT NOT NULL DEFAULT '';
