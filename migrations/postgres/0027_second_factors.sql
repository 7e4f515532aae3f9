-- Second factors of accounts, of this instance alone; id is the user's. The secret is sealed, recovery codes are hashed.
create table second_factors (
  id TEXT COLLATE "C" primary key,
  state TEXT COLLATE "C" not null,
  sealed TEXT COLLATE "C" not null,
  used_steps TEXT COLLATE "C" not null,
  recovery_hashes TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  confirmed_at TEXT COLLATE "C"
);
