ALTER TABLE pieces ADD COLUMN interview TEXT; -- JSON
