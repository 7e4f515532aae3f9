-- Passkeys of accounts, of this instance alone: public keys, and how often each signed. Beside them a second factor may
-- stand without an app: then sealed is empty, and pending keeps the secret of an app until a code proves it.
create table passkeys (
  id TEXT COLLATE "C" primary key,
  user_id TEXT COLLATE "C" not null,
  rp_id TEXT COLLATE "C" not null,
  credential_id TEXT COLLATE "C" not null,
  public_key TEXT COLLATE "C" not null,
  counter BIGINT not null,
  transports TEXT COLLATE "C" not null,
  name TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  last_used_at TEXT COLLATE "C"
);
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_user on passkeys (user_id);
alter table second_factors add column pending TEXT COLLATE "C";
