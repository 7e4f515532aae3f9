-- Passkeys of accounts, of this instance alone: public keys, and how often each signed. Beside them a second factor may
-- stand without an app: then sealed is empty, and pending keeps the secret of an app until a code proves it.
create table passkeys (
  id TEXT primary key,
  user_id TEXT not null,
  rp_id TEXT not null,
  credential_id TEXT not null,
  public_key TEXT not null,
  counter INTEGER not null,
  transports TEXT not null,
  name TEXT not null,
  created_at TEXT not null,
  last_used_at TEXT
) strict, without rowid;
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_user on passkeys (user_id);
alter table second_factors add column pending TEXT;
