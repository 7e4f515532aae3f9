-- Hosted: accounts, memberships and passwords that gateways know and this instance lost by a failover or a restore. An
-- administrator takes each back or leaves it; by itself nothing of it opens anything.
create table lost_people (
  id TEXT COLLATE "C" primary key,
  stream_id BIGINT not null,
  kind TEXT COLLATE "C" not null,
  user_id TEXT COLLATE "C" not null,
  farm_id TEXT COLLATE "C",
  name TEXT COLLATE "C" not null,
  email TEXT COLLATE "C" not null,
  role TEXT COLLATE "C",
  password_version BIGINT not null,
  state TEXT COLLATE "C" not null,
  seen_at TEXT COLLATE "C" not null,
  settled_at TEXT COLLATE "C",
  settled_by TEXT COLLATE "C"
);
create index lost_people_stream on lost_people (stream_id, user_id);
