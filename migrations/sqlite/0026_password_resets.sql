-- Letters of other kinds than invitations leave by the same way. A program of before erases those it does not know.
alter table invitation_letters add column kind TEXT not null default 'INVITATION';

-- The newest code that a forgotten password is replaced with; id is the account's.
create table password_resets (
  id TEXT primary key,
  code_hash TEXT not null,
  email_key TEXT not null,
  password_version INTEGER not null,
  asked_at TEXT not null
) strict, without rowid;
create unique index password_resets_code on password_resets (code_hash);
create index password_resets_asked on password_resets (asked_at);

-- Hosted: which address an account was proved to have, and the code that is out to prove it; id is the account's.
create table address_proofs (
  id TEXT primary key,
  email_key TEXT not null,
  code_hash TEXT,
  asked_at TEXT,
  verified_at TEXT,
  verified_by TEXT
) strict, without rowid;
