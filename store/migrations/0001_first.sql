-- Times are UTC text such as 2026-01-31T09:30:00.000000000Z: they sort, and people can read them.
CREATE TABLE projects (
  id               TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
  name             TEXT NOT NULL,
  path             TEXT NOT NULL UNIQUE CHECK (path <> ''),
  branch           TEXT NOT NULL,
  allowed_commands TEXT NOT NULL, -- JSON
  created_at       TEXT NOT NULL
) STRICT;

-- An id names a draft or a piece, never both: AddDraft and Release see to it inside their transaction.
CREATE TABLE drafts (
  id         TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
  project_id TEXT NOT NULL REFERENCES projects (id),
  title      TEXT NOT NULL,
  seed       TEXT NOT NULL,
  spec       TEXT NOT NULL,
  lane       TEXT NOT NULL,
  refine     TEXT NOT NULL,
  model      TEXT NOT NULL,
  run_at     TEXT NOT NULL,
  version    INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX drafts_by_project ON drafts (project_id, created_at);

CREATE TABLE pieces (
  id               TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
  project_id       TEXT NOT NULL REFERENCES projects (id),
  name             TEXT NOT NULL,
  seed             TEXT NOT NULL,
  phase            TEXT NOT NULL,
  activity         TEXT NOT NULL,
  before           TEXT NOT NULL,
  pause            TEXT NOT NULL,
  failure          TEXT NOT NULL,
  branch           TEXT NOT NULL,
  worktree         TEXT NOT NULL,
  worktree_missing INTEGER NOT NULL,
  base             TEXT NOT NULL, -- JSON
  config           TEXT NOT NULL, -- JSON
  play             INTEGER NOT NULL,
  pr               TEXT, -- JSON
  confirmed        INTEGER NOT NULL,
  archived         INTEGER NOT NULL,
  run              INTEGER NOT NULL,
  work_review      TEXT NOT NULL,
  saved_ref        TEXT NOT NULL,
  source           TEXT, -- JSON
  run_at           TEXT NOT NULL,
  cost_usd         REAL NOT NULL,
  version          INTEGER NOT NULL,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL,
  completed_at     TEXT
) STRICT;
CREATE INDEX pieces_by_age ON pieces (archived, created_at);
CREATE INDEX pieces_by_project ON pieces (project_id, archived, created_at);

CREATE TABLE tasks (
  id            TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
  piece_id      TEXT NOT NULL REFERENCES pieces (id) ON DELETE CASCADE,
  ordinal       INTEGER NOT NULL,
  kind          TEXT NOT NULL,
  name          TEXT NOT NULL,
  brief         TEXT NOT NULL,
  state         TEXT NOT NULL,
  failure       TEXT NOT NULL,
  attempts      INTEGER NOT NULL,
  session_id    TEXT NOT NULL,
  branch        TEXT NOT NULL,
  worktree      TEXT NOT NULL,
  approved      INTEGER NOT NULL,
  approval_note TEXT NOT NULL,
  brief_changed INTEGER NOT NULL,
  guidance      TEXT NOT NULL,
  cost_usd      REAL NOT NULL,
  started_at    TEXT,
  ended_at      TEXT,
  UNIQUE (piece_id, id)
) STRICT;

-- Both ends belong to the edge's own piece.
CREATE TABLE edges (
  piece_id TEXT NOT NULL,
  from_id  TEXT NOT NULL,
  to_id    TEXT NOT NULL,
  UNIQUE (piece_id, from_id, to_id),
  FOREIGN KEY (piece_id, from_id) REFERENCES tasks (piece_id, id) ON DELETE CASCADE,
  FOREIGN KEY (piece_id, to_id) REFERENCES tasks (piece_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX edges_to ON edges (piece_id, to_id);

-- The key's own index answers which documents exist without reading one.
CREATE TABLE artifacts (
  piece_id   TEXT NOT NULL REFERENCES pieces (id) ON DELETE CASCADE,
  kind       TEXT NOT NULL,
  task_id    TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  content    TEXT NOT NULL,
  PRIMARY KEY (piece_id, kind, task_id)
) STRICT;

CREATE TABLE history (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  piece_id      TEXT NOT NULL REFERENCES pieces (id),
  at            TEXT NOT NULL,
  "trigger"     TEXT NOT NULL,
  actor         TEXT NOT NULL,
  from_phase    TEXT NOT NULL,
  from_activity TEXT NOT NULL,
  to_phase      TEXT NOT NULL,
  to_activity   TEXT NOT NULL,
  note          TEXT NOT NULL,
  artifact      TEXT NOT NULL
) STRICT;
CREATE INDEX history_by_piece ON history (piece_id, id);

CREATE TABLE sessions (
  id           TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
  project_id   TEXT REFERENCES projects (id),
  piece_id     TEXT REFERENCES pieces (id), -- NULL outside a piece
  task_id      TEXT NOT NULL, -- outlives the task, which goes when the plan is replaced
  kind         TEXT NOT NULL,
  name         TEXT NOT NULL,
  state        TEXT NOT NULL,
  model        TEXT NOT NULL,
  effort       TEXT NOT NULL,
  branch       TEXT NOT NULL,
  worktree     TEXT NOT NULL,
  cost_usd     REAL NOT NULL,
  error        TEXT NOT NULL,
  resumed      INTEGER NOT NULL,
  host_pid     INTEGER NOT NULL,
  host_started INTEGER NOT NULL,
  host_boot    TEXT NOT NULL,
  created_at   TEXT NOT NULL,
  updated_at   TEXT NOT NULL,
  ended_at     TEXT
) STRICT;
CREATE INDEX sessions_by_age ON sessions (created_at);
CREATE INDEX sessions_by_project ON sessions (project_id, created_at);
CREATE INDEX sessions_by_piece ON sessions (piece_id, created_at);
CREATE INDEX sessions_by_state ON sessions (state);

CREATE TABLE messages (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq        INTEGER NOT NULL,
  role       TEXT NOT NULL,
  tool       TEXT NOT NULL,
  tool_id    TEXT NOT NULL,
  error      INTEGER NOT NULL,
  at         TEXT NOT NULL,
  input      TEXT, -- JSON
  text       TEXT NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT;

-- No reference to pieces: a worktree is recorded before its piece exists, and the record outlives everything else.
CREATE TABLE worktrees (
  path       TEXT NOT NULL PRIMARY KEY CHECK (path <> ''),
  project_id TEXT NOT NULL,
  piece_id   TEXT NOT NULL,
  task_id    TEXT NOT NULL,
  repo       TEXT NOT NULL,
  branch     TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX worktrees_by_piece ON worktrees (piece_id);

CREATE TABLE settings (
  key   TEXT NOT NULL PRIMARY KEY CHECK (key <> ''),
  value TEXT NOT NULL
) STRICT;
