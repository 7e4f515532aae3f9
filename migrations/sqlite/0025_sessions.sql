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

-- Letters to the address that an account had until now, until they are sent.
create table account_letters (
  id TEXT primary key,
  user_id TEXT not null,
  address TEXT not null,
  language TEXT not null,
  attempts INTEGER not null,
  next_at TEXT not null,
  created_at TEXT not null
) strict, without rowid;
create index account_letters_due on account_letters (next_at, id);
create index account_letters_user on account_letters (user_id);
