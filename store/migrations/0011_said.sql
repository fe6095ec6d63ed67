-- What the note of a transition says, with its facts apart from its words, so that the windows can say it in another
-- language. Empty where the note is somebody's own words, and in the rows from before.
ALTER TABLE history ADD COLUMN said TEXT NOT NULL DEFAULT '';
