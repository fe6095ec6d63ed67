-- No reference to drafts or pieces: an id names either, and a link outlives the blocker that it names.
CREATE TABLE links (
  item_id    TEXT NOT NULL CHECK (item_id <> ''),
  blocker_id TEXT NOT NULL CHECK (blocker_id <> ''),
  name       TEXT NOT NULL,
  origin     TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (item_id, blocker_id)
) STRICT;

ALTER TABLE drafts ADD COLUMN released_by TEXT NOT NULL DEFAULT '';
