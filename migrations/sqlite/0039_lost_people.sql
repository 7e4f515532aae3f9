-- Hosted: accounts, memberships and passwords that gateways know and this instance lost by a failover or a restore. An
-- administrator takes each back or leaves it; by itself nothing of it opens anything.
create table lost_people (
  id TEXT primary key,
  stream_id INTEGER not null,
  kind TEXT not null,
  user_id TEXT not null,
  farm_id TEXT,
  name TEXT not null,
  email TEXT not null,
  role TEXT,
  password_version INTEGER not null,
  state TEXT not null,
  seen_at TEXT not null,
  settled_at TEXT,
  settled_by TEXT
) strict;
create index lost_people_stream on lost_people (stream_id, user_id);
