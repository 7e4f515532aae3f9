-- What a person may do from a notification without opening the console, once.
create table push_actions (
  id TEXT primary key,
  token_hash TEXT not null,
  action TEXT not null,
  user_id TEXT not null,
  channel_id TEXT not null,
  endpoint TEXT not null,
  alert_id TEXT not null,
  control_point_id TEXT,
  password_version INTEGER not null,
  state TEXT not null,
  created_at TEXT not null
) strict, without rowid;
create unique index push_actions_token on push_actions (token_hash);
create index push_actions_created on push_actions (created_at);
create index push_actions_user on push_actions (user_id);
