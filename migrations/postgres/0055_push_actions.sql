-- What a person may do from a notification without opening the console, once.
create table push_actions (
  id TEXT COLLATE "C" primary key,
  token_hash TEXT COLLATE "C" not null,
  action TEXT COLLATE "C" not null,
  user_id TEXT COLLATE "C" not null,
  channel_id TEXT COLLATE "C" not null,
  endpoint TEXT COLLATE "C" not null,
  alert_id TEXT COLLATE "C" not null,
  control_point_id TEXT COLLATE "C",
  password_version BIGINT not null,
  state TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null
);
create unique index push_actions_token on push_actions (token_hash);
create index push_actions_created on push_actions (created_at);
create index push_actions_user on push_actions (user_id);
