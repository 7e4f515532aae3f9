-- Rows of synchronised tables change inside a unit of work only (see gateway/core/commit.ts). `rev` counts a row's
-- changes on this instance; `hidden` is 1 for a deleted row and for everything below it. Instants are ISO 8601 UTC
-- text with milliseconds, booleans 0 or 1, lists and objects JSON text.

-- The change log and its registers -------------------------------------------------------------------------------

create table sync_stream (
  stream_id INTEGER primary key,
  gateway_id TEXT not null unique,
  epoch INTEGER not null,
  hlc TEXT,
  tx INTEGER not null,
  core_seq INTEGER not null,
  core_chain TEXT not null,
  history_seq INTEGER not null,
  history_chain TEXT not null
) strict;

create table sync_change (
  stream_id INTEGER not null,
  lane TEXT not null check (lane in ('core', 'history')),
  seq INTEGER not null,
  tx INTEGER not null,
  entity INTEGER not null,
  id TEXT not null,
  op INTEGER not null,
  cl INTEGER not null,
  hlc TEXT not null,
  base_json TEXT,
  body_json TEXT,
  boot_id TEXT not null,
  monotonic_ms INTEGER not null,
  actor TEXT,
  schema_version INTEGER not null,
  chain TEXT not null,
  primary key (stream_id, lane, seq)
) strict, without rowid;

create table sync_register (
  entity INTEGER not null,
  id TEXT not null,
  cl INTEGER not null,
  hlc TEXT not null,
  over_json TEXT not null,
  primary key (entity, id)
) strict, without rowid;

create table guards (
  entity TEXT not null,
  id TEXT not null,
  n INTEGER not null,
  primary key (entity, id)
) strict, without rowid;

-- People and places ----------------------------------------------------------------------------------------------

create table users (
  id TEXT primary key,
  numeric_id INTEGER not null,
  email TEXT not null,
  email_key TEXT not null,
  name TEXT not null,
  phone_number TEXT,
  role TEXT not null,
  is_active INTEGER not null,
  password_hash TEXT not null,
  password_version INTEGER not null,
  language TEXT,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index users_email_key_unique on users (email_key) where hidden = 0;
create index users_created on users (created_at, id);

create table addresses (
  id TEXT primary key,
  user_id TEXT not null references users (id) deferrable initially deferred,
  street TEXT not null,
  number INTEGER not null,
  complement TEXT,
  city TEXT not null,
  state TEXT not null,
  zip_code TEXT not null,
  country TEXT not null,
  lat TEXT,
  lng TEXT,
  is_primary INTEGER not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index addresses_user on addresses (user_id, created_at, id);

create table farms (
  id TEXT primary key,
  name TEXT not null,
  description TEXT,
  owner_id TEXT not null references users (id) deferrable initially deferred,
  address_id TEXT references addresses (id) deferrable initially deferred,
  lat TEXT,
  lng TEXT,
  timezone TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index farms_owner on farms (owner_id, created_at, id);

create table farm_members (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  user_id TEXT not null references users (id) deferrable initially deferred,
  role TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index farm_members_person_unique on farm_members (farm_id, user_id) where hidden = 0;
create index farm_members_user on farm_members (user_id);

create table subscriptions (
  id TEXT primary key,
  user_id TEXT not null references users (id) deferrable initially deferred,
  plan TEXT not null,
  status TEXT not null,
  currency TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index subscriptions_user_unique on subscriptions (user_id) where hidden = 0;

-- Ponds and what moves their water -------------------------------------------------------------------------------

create table control_points (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  owner_id TEXT not null references users (id) deferrable initially deferred,
  cod TEXT not null,
  device_id TEXT not null,
  target_status TEXT not null,
  version INTEGER not null,
  epoch TEXT not null,
  target_origin TEXT not null,
  current_status TEXT,
  current_since TEXT,
  last_command_at TEXT,
  base_target TEXT not null,
  base_at TEXT not null,
  fail_safe TEXT not null,
  min_on_s INTEGER not null,
  min_off_s INTEGER not null,
  start_group TEXT,
  start_order INTEGER,
  do_on REAL,
  do_off REAL,
  do_emergency REAL,
  locked_out INTEGER not null,
  lock_out_reason TEXT,
  lock_out_by TEXT,
  lock_out_at TEXT,
  config_rev INTEGER not null,
  schedule_rev INTEGER not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index control_points_cod_unique on control_points (owner_id, cod) where hidden = 0;
create unique index control_points_device_id_unique on control_points (device_id) where hidden = 0;
create index control_points_farm on control_points (farm_id, created_at, id);

create table ponds (
  id TEXT primary key,
  numeric_id INTEGER not null,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  cod TEXT not null,
  pond_type TEXT,
  size_m2 REAL,
  depth_m REAL,
  lat TEXT,
  lng TEXT,
  aerator_count INTEGER not null,
  control_point_id TEXT references control_points (id) deferrable initially deferred,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index ponds_farm on ponds (farm_id, created_at, id);
create index ponds_control_point on ponds (control_point_id);

create table aerators (
  id TEXT primary key,
  pond_id TEXT not null references ponds (id) deferrable initially deferred,
  name TEXT not null,
  device_id TEXT not null,
  power_kw REAL not null,
  status TEXT not null,
  last_command_at TEXT,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index aerators_device_id_unique on aerators (device_id) where hidden = 0;
create index aerators_pond on aerators (pond_id, created_at, id);

create table schedules (
  id TEXT primary key,
  control_point_id TEXT not null references control_points (id) deferrable initially deferred,
  action TEXT not null,
  start_time TEXT not null,
  end_time TEXT,
  repeat_pattern TEXT not null,
  days_of_week TEXT,
  is_active INTEGER not null,
  description TEXT,
  effective_from TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index schedules_control_point on schedules (control_point_id, created_at, id);

create table orders (
  id TEXT primary key,
  control_point_id TEXT not null references control_points (id) deferrable initially deferred,
  target_status TEXT not null,
  origin TEXT not null,
  issued_by TEXT,
  reason TEXT,
  version INTEGER not null,
  epoch TEXT not null,
  issued_at TEXT not null,
  hold_until TEXT,
  state TEXT not null,
  state_at TEXT not null,
  clock_quality TEXT not null,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index orders_control_point on orders (control_point_id, issued_at, id);

-- Alerts, audit, notifications -----------------------------------------------------------------------------------

create table alerts (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  control_point_id TEXT references control_points (id) deferrable initially deferred,
  pond_id TEXT references ponds (id) deferrable initially deferred,
  type TEXT not null,
  severity TEXT not null,
  message TEXT not null,
  parameter TEXT,
  value REAL,
  threshold REAL,
  status TEXT not null,
  triggered_at TEXT not null,
  resolved_at TEXT,
  resolved_by TEXT,
  episode_id TEXT not null,
  folded_into TEXT,
  acknowledged_at TEXT,
  acknowledged_by TEXT,
  silenced_until TEXT,
  silenced_by TEXT,
  silence_reason TEXT,
  shelved_until TEXT,
  shelved_by TEXT,
  shelve_reason TEXT,
  source TEXT not null,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index alerts_farm on alerts (farm_id, status, triggered_at, id);
create index alerts_control_point on alerts (control_point_id, status, type);
create index alerts_pond on alerts (pond_id, status, type);

create table logs (
  id TEXT primary key,
  farm_id TEXT,
  entity_type TEXT not null,
  entity_id TEXT not null,
  entity_name TEXT not null,
  action TEXT not null,
  user_id TEXT,
  origin TEXT,
  details TEXT,
  timestamp TEXT not null,
  clock_quality TEXT not null,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index logs_farm on logs (farm_id, entity_type, timestamp, id);
create index logs_entity on logs (entity_id, timestamp, id);

create table notifications (
  id TEXT primary key,
  user_id TEXT not null references users (id) deferrable initially deferred,
  farm_id TEXT,
  type TEXT not null,
  title TEXT not null,
  message TEXT not null,
  data TEXT not null,
  is_read INTEGER not null,
  read_at TEXT,
  created_at TEXT not null,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index notifications_user on notifications (user_id, created_at, id);
create index notifications_unread on notifications (user_id, type) where is_read = 0;

-- What never leaves this instance --------------------------------------------------------------------------------

create table instance_values (id TEXT primary key, value TEXT not null) strict, without rowid;
create table revoked_tokens (id TEXT primary key, expires_at TEXT not null) strict, without rowid;
create index revoked_tokens_expiry on revoked_tokens (expires_at);
create table presence (
  id TEXT primary key,
  last_heartbeat TEXT not null,
  consumption REAL not null
) strict, without rowid;
create table device_keys (
  id TEXT primary key,
  control_point_id TEXT not null,
  key_hash TEXT not null,
  state TEXT not null,
  created_at TEXT not null,
  activated_at TEXT,
  retires_at TEXT
) strict, without rowid;
create index device_keys_control_point on device_keys (control_point_id);
create table idempotent_answers (
  id TEXT primary key,
  body_hash TEXT not null,
  status INTEGER not null,
  answer TEXT not null,
  created_at TEXT not null
) strict, without rowid;
create index idempotent_answers_created on idempotent_answers (created_at);
create table numeric_ids (id TEXT primary key, entity TEXT not null, uuid TEXT not null) strict, without rowid;
create unique index numeric_ids_uuid_unique on numeric_ids (entity, uuid);

-- Tripwires: nothing but a unit of work may change a synchronised table -------------------------------------------
create trigger users_insert_guard before insert on users when unit_is_open() = 0 begin select raise(abort, 'rows of users change through commit only'); end;
create trigger users_update_guard before update on users when unit_is_open() = 0 begin select raise(abort, 'rows of users change through commit only'); end;
create trigger users_delete_guard before delete on users when unit_is_open() = 0 begin select raise(abort, 'rows of users change through commit only'); end;
create trigger addresses_insert_guard before insert on addresses when unit_is_open() = 0 begin select raise(abort, 'rows of addresses change through commit only'); end;
create trigger addresses_update_guard before update on addresses when unit_is_open() = 0 begin select raise(abort, 'rows of addresses change through commit only'); end;
create trigger addresses_delete_guard before delete on addresses when unit_is_open() = 0 begin select raise(abort, 'rows of addresses change through commit only'); end;
create trigger farms_insert_guard before insert on farms when unit_is_open() = 0 begin select raise(abort, 'rows of farms change through commit only'); end;
create trigger farms_update_guard before update on farms when unit_is_open() = 0 begin select raise(abort, 'rows of farms change through commit only'); end;
create trigger farms_delete_guard before delete on farms when unit_is_open() = 0 begin select raise(abort, 'rows of farms change through commit only'); end;
create trigger farm_members_insert_guard before insert on farm_members when unit_is_open() = 0 begin select raise(abort, 'rows of farm_members change through commit only'); end;
create trigger farm_members_update_guard before update on farm_members when unit_is_open() = 0 begin select raise(abort, 'rows of farm_members change through commit only'); end;
create trigger farm_members_delete_guard before delete on farm_members when unit_is_open() = 0 begin select raise(abort, 'rows of farm_members change through commit only'); end;
create trigger subscriptions_insert_guard before insert on subscriptions when unit_is_open() = 0 begin select raise(abort, 'rows of subscriptions change through commit only'); end;
create trigger subscriptions_update_guard before update on subscriptions when unit_is_open() = 0 begin select raise(abort, 'rows of subscriptions change through commit only'); end;
create trigger subscriptions_delete_guard before delete on subscriptions when unit_is_open() = 0 begin select raise(abort, 'rows of subscriptions change through commit only'); end;
create trigger control_points_insert_guard before insert on control_points when unit_is_open() = 0 begin select raise(abort, 'rows of control_points change through commit only'); end;
create trigger control_points_update_guard before update on control_points when unit_is_open() = 0 begin select raise(abort, 'rows of control_points change through commit only'); end;
create trigger control_points_delete_guard before delete on control_points when unit_is_open() = 0 begin select raise(abort, 'rows of control_points change through commit only'); end;
create trigger ponds_insert_guard before insert on ponds when unit_is_open() = 0 begin select raise(abort, 'rows of ponds change through commit only'); end;
create trigger ponds_update_guard before update on ponds when unit_is_open() = 0 begin select raise(abort, 'rows of ponds change through commit only'); end;
create trigger ponds_delete_guard before delete on ponds when unit_is_open() = 0 begin select raise(abort, 'rows of ponds change through commit only'); end;
create trigger aerators_insert_guard before insert on aerators when unit_is_open() = 0 begin select raise(abort, 'rows of aerators change through commit only'); end;
create trigger aerators_update_guard before update on aerators when unit_is_open() = 0 begin select raise(abort, 'rows of aerators change through commit only'); end;
create trigger aerators_delete_guard before delete on aerators when unit_is_open() = 0 begin select raise(abort, 'rows of aerators change through commit only'); end;
create trigger schedules_insert_guard before insert on schedules when unit_is_open() = 0 begin select raise(abort, 'rows of schedules change through commit only'); end;
create trigger schedules_update_guard before update on schedules when unit_is_open() = 0 begin select raise(abort, 'rows of schedules change through commit only'); end;
create trigger schedules_delete_guard before delete on schedules when unit_is_open() = 0 begin select raise(abort, 'rows of schedules change through commit only'); end;
create trigger orders_insert_guard before insert on orders when unit_is_open() = 0 begin select raise(abort, 'rows of orders change through commit only'); end;
create trigger orders_update_guard before update on orders when unit_is_open() = 0 begin select raise(abort, 'rows of orders change through commit only'); end;
create trigger orders_delete_guard before delete on orders when unit_is_open() = 0 begin select raise(abort, 'rows of orders change through commit only'); end;
create trigger alerts_insert_guard before insert on alerts when unit_is_open() = 0 begin select raise(abort, 'rows of alerts change through commit only'); end;
create trigger alerts_update_guard before update on alerts when unit_is_open() = 0 begin select raise(abort, 'rows of alerts change through commit only'); end;
create trigger alerts_delete_guard before delete on alerts when unit_is_open() = 0 begin select raise(abort, 'rows of alerts change through commit only'); end;
create trigger notifications_insert_guard before insert on notifications when unit_is_open() = 0 begin select raise(abort, 'rows of notifications change through commit only'); end;
create trigger notifications_update_guard before update on notifications when unit_is_open() = 0 begin select raise(abort, 'rows of notifications change through commit only'); end;
create trigger notifications_delete_guard before delete on notifications when unit_is_open() = 0 begin select raise(abort, 'rows of notifications change through commit only'); end;
create trigger logs_insert_guard before insert on logs when unit_is_open() = 0 begin select raise(abort, 'rows of logs change through commit only'); end;
create trigger logs_update_guard before update on logs begin select raise(abort, 'logs are append-only'); end;
