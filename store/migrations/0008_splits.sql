-- What a piece knows of its splits and of its last code review, as JSON; NULL for most pieces, which never had one.
ALTER TABLE pieces ADD COLUMN splits TEXT;
ALTER TABLE pieces ADD COLUMN code_review TEXT;
ALTER TABLE links ADD COLUMN ignored INTEGER NOT NULL DEFAULT 0 CHECK (ignored IN (0, 1));
