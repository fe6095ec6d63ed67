-- What a draft has attached, as JSON; the piece that it becomes keeps it.
ALTER TABLE drafts ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]';
ALTER TABLE pieces ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]';
