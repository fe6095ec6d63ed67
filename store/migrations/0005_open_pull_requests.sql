-- They are read every minute, those of archived pieces too.
CREATE INDEX pieces_by_pull_request ON pieces (pr ->> '$.state', created_at) WHERE pr IS NOT NULL;
