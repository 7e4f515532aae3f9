-- Second factors of accounts, of this instance alone; id is the user's. The secret is sealed, recovery codes are hashed.
create table second_factors (
  id TEXT primary key,
  state TEXT not null,
  sealed TEXT not null,
  used_steps TEXT not null,
  recovery_hashes TEXT not null,
  created_at TEXT not null,
  confirmed_at TEXT
) strict, without rowid;
