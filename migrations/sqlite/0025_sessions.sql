-- Logins of people, of this instance alone: one row each, however often it is renewed.
create table sessions (
  id TEXT primary key,
  user_id TEXT not null,
  password_version INTEGER not null,
  generation INTEGER not null,
  browser TEXT,
  system TEXT,
  source TEXT not null,
  network TEXT,
  lifetime_s INTEGER not null,
  created_at TEXT not null,
  last_used_at TEXT not null,
  expires_at TEXT not null
) strict, without rowid;
create index sessions_user on sessions (user_id, created_at, id);
create index sessions_expiry on sessions (expires_at);

-- Logins of an older generation are ended, all but the one that ended the others; id is the user's.
create table session_generations (
  id TEXT primary key,
  generation INTEGER not null,
  kept_session TEXT
) strict, without rowid;
