-- Logins of people, of this instance alone: one row each, however often it is renewed.
create table sessions (
  id TEXT COLLATE "C" primary key,
  user_id TEXT COLLATE "C" not null,
  password_version BIGINT not null,
  generation BIGINT not null,
  browser TEXT COLLATE "C",
  system TEXT COLLATE "C",
  source TEXT COLLATE "C" not null,
  network TEXT COLLATE "C",
  lifetime_s BIGINT not null,
  created_at TEXT COLLATE "C" not null,
  last_used_at TEXT COLLATE "C" not null,
  expires_at TEXT COLLATE "C" not null
);
create index sessions_user on sessions (user_id, created_at, id);
create index sessions_expiry on sessions (expires_at);

-- Logins of an older generation are ended, all but the one that ended the others; id is the user's.
create table session_generations (
  id TEXT COLLATE "C" primary key,
  generation BIGINT not null,
  kept_session TEXT COLLATE "C"
);
