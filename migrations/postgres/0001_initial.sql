-- Rows of synchronised tables change inside a unit of work only (see gateway/core/commit.ts). `rev` counts a row's
-- changes on this instance; `hidden` is 1 for a deleted row and for everything below it. Instants are ISO 8601 UTC
-- text with milliseconds, booleans 0 or 1, lists and objects JSON text.

-- The change log and its registers -------------------------------------------------------------------------------

create table sync_stream (
  stream_id BIGINT primary key,
  gateway_id TEXT COLLATE "C" not null unique,
  epoch BIGINT not null,
  hlc TEXT COLLATE "C",
  tx BIGINT not null,
  core_seq BIGINT not null,
  core_chain TEXT COLLATE "C" not null,
  history_seq BIGINT not null,
  history_chain TEXT COLLATE "C" not null
);

create table sync_change (
  stream_id BIGINT not null,
  lane TEXT COLLATE "C" not null check (lane in ('core', 'history')),
  seq BIGINT not null,
  tx BIGINT not null,
  entity BIGINT not null,
  id TEXT COLLATE "C" not null,
  op BIGINT not null,
  cl BIGINT not null,
  hlc TEXT COLLATE "C" not null,
  base_json TEXT COLLATE "C",
  body_json TEXT COLLATE "C",
  boot_id TEXT COLLATE "C" not null,
  monotonic_ms BIGINT not null,
  actor TEXT COLLATE "C",
  schema_version BIGINT not null,
  chain TEXT COLLATE "C" not null,
  primary key (stream_id, lane, seq)
);

create table sync_register (
  entity BIGINT not null,
  id TEXT COLLATE "C" not null,
  cl BIGINT not null,
  hlc TEXT COLLATE "C" not null,
  over_json TEXT COLLATE "C" not null,
  primary key (entity, id)
);

create table guards (
  entity TEXT COLLATE "C" not null,
  id TEXT COLLATE "C" not null,
  n BIGINT not null,
  primary key (entity, id)
);

-- People and places ----------------------------------------------------------------------------------------------

create table users (
  id TEXT COLLATE "C" primary key,
  numeric_id BIGINT not null,
  email TEXT COLLATE "C" not null,
  email_key TEXT COLLATE "C" not null,
  name TEXT COLLATE "C" not null,
  phone_number TEXT COLLATE "C",
  role TEXT COLLATE "C" not null,
  is_active BIGINT not null,
  password_hash TEXT COLLATE "C" not null,
  password_version BIGINT not null,
  language TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index users_email_key_unique on users (email_key) where hidden = 0;
create index users_created on users (created_at, id);

create table addresses (
  id TEXT COLLATE "C" primary key,
  user_id TEXT COLLATE "C" not null references users (id) deferrable initially deferred,
  street TEXT COLLATE "C" not null,
  number BIGINT not null,
  complement TEXT COLLATE "C",
  city TEXT COLLATE "C" not null,
  state TEXT COLLATE "C" not null,
  zip_code TEXT COLLATE "C" not null,
  country TEXT COLLATE "C" not null,
  lat TEXT COLLATE "C",
  lng TEXT COLLATE "C",
  is_primary BIGINT not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index addresses_user on addresses (user_id, created_at, id);

create table farms (
  id TEXT COLLATE "C" primary key,
  name TEXT COLLATE "C" not null,
  description TEXT COLLATE "C",
  owner_id TEXT COLLATE "C" not null references users (id) deferrable initially deferred,
  address_id TEXT COLLATE "C" references addresses (id) deferrable initially deferred,
  lat TEXT COLLATE "C",
  lng TEXT COLLATE "C",
  timezone TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index farms_owner on farms (owner_id, created_at, id);

create table farm_members (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  user_id TEXT COLLATE "C" not null references users (id) deferrable initially deferred,
  role TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index farm_members_person_unique on farm_members (farm_id, user_id) where hidden = 0;
create index farm_members_user on farm_members (user_id);

create table subscriptions (
  id TEXT COLLATE "C" primary key,
  user_id TEXT COLLATE "C" not null references users (id) deferrable initially deferred,
  plan TEXT COLLATE "C" not null,
  status TEXT COLLATE "C" not null,
  currency TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index subscriptions_user_unique on subscriptions (user_id) where hidden = 0;

-- Ponds and what moves their water -------------------------------------------------------------------------------

create table control_points (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  owner_id TEXT COLLATE "C" not null references users (id) deferrable initially deferred,
  cod TEXT COLLATE "C" not null,
  device_id TEXT COLLATE "C" not null,
  target_status TEXT COLLATE "C" not null,
  version BIGINT not null,
  epoch TEXT COLLATE "C" not null,
  target_origin TEXT COLLATE "C" not null,
  current_status TEXT COLLATE "C",
  current_since TEXT COLLATE "C",
  last_command_at TEXT COLLATE "C",
  base_target TEXT COLLATE "C" not null,
  base_at TEXT COLLATE "C" not null,
  fail_safe TEXT COLLATE "C" not null,
  min_on_s BIGINT not null,
  min_off_s BIGINT not null,
  start_group TEXT COLLATE "C",
  start_order BIGINT,
  do_on DOUBLE PRECISION,
  do_off DOUBLE PRECISION,
  do_emergency DOUBLE PRECISION,
  locked_out BIGINT not null,
  lock_out_reason TEXT COLLATE "C",
  lock_out_by TEXT COLLATE "C",
  lock_out_at TEXT COLLATE "C",
  config_rev BIGINT not null,
  schedule_rev BIGINT not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index control_points_cod_unique on control_points (owner_id, cod) where hidden = 0;
create unique index control_points_device_id_unique on control_points (device_id) where hidden = 0;
create index control_points_farm on control_points (farm_id, created_at, id);

create table ponds (
  id TEXT COLLATE "C" primary key,
  numeric_id BIGINT not null,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  cod TEXT COLLATE "C" not null,
  pond_type TEXT COLLATE "C",
  size_m2 DOUBLE PRECISION,
  depth_m DOUBLE PRECISION,
  lat TEXT COLLATE "C",
  lng TEXT COLLATE "C",
  aerator_count BIGINT not null,
  control_point_id TEXT COLLATE "C" references control_points (id) deferrable initially deferred,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index ponds_farm on ponds (farm_id, created_at, id);
create index ponds_control_point on ponds (control_point_id);

create table aerators (
  id TEXT COLLATE "C" primary key,
  pond_id TEXT COLLATE "C" not null references ponds (id) deferrable initially deferred,
  name TEXT COLLATE "C" not null,
  device_id TEXT COLLATE "C" not null,
  power_kw DOUBLE PRECISION not null,
  status TEXT COLLATE "C" not null,
  last_command_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index aerators_device_id_unique on aerators (device_id) where hidden = 0;
create index aerators_pond on aerators (pond_id, created_at, id);

create table schedules (
  id TEXT COLLATE "C" primary key,
  control_point_id TEXT COLLATE "C" not null references control_points (id) deferrable initially deferred,
  action TEXT COLLATE "C" not null,
  start_time TEXT COLLATE "C" not null,
  end_time TEXT COLLATE "C",
  repeat_pattern TEXT COLLATE "C" not null,
  days_of_week TEXT COLLATE "C",
  is_active BIGINT not null,
  description TEXT COLLATE "C",
  effective_from TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index schedules_control_point on schedules (control_point_id, created_at, id);

create table orders (
  id TEXT COLLATE "C" primary key,
  control_point_id TEXT COLLATE "C" not null references control_points (id) deferrable initially deferred,
  target_status TEXT COLLATE "C" not null,
  origin TEXT COLLATE "C" not null,
  issued_by TEXT COLLATE "C",
  reason TEXT COLLATE "C",
  version BIGINT not null,
  epoch TEXT COLLATE "C" not null,
  issued_at TEXT COLLATE "C" not null,
  hold_until TEXT COLLATE "C",
  state TEXT COLLATE "C" not null,
  state_at TEXT COLLATE "C" not null,
  clock_quality TEXT COLLATE "C" not null,
  rev BIGINT not null,
  hidden BIGINT not null
);
create index orders_control_point on orders (control_point_id, issued_at, id);

-- Alerts, audit, notifications -----------------------------------------------------------------------------------

create table alerts (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  control_point_id TEXT COLLATE "C" references control_points (id) deferrable initially deferred,
  pond_id TEXT COLLATE "C" references ponds (id) deferrable initially deferred,
  type TEXT COLLATE "C" not null,
  severity TEXT COLLATE "C" not null,
  message TEXT COLLATE "C" not null,
  parameter TEXT COLLATE "C",
  value DOUBLE PRECISION,
  threshold DOUBLE PRECISION,
  status TEXT COLLATE "C" not null,
  triggered_at TEXT COLLATE "C" not null,
  resolved_at TEXT COLLATE "C",
  resolved_by TEXT COLLATE "C",
  episode_id TEXT COLLATE "C" not null,
  folded_into TEXT COLLATE "C",
  acknowledged_at TEXT COLLATE "C",
  acknowledged_by TEXT COLLATE "C",
  silenced_until TEXT COLLATE "C",
  silenced_by TEXT COLLATE "C",
  silence_reason TEXT COLLATE "C",
  shelved_until TEXT COLLATE "C",
  shelved_by TEXT COLLATE "C",
  shelve_reason TEXT COLLATE "C",
  source TEXT COLLATE "C" not null,
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index alerts_farm on alerts (farm_id, status, triggered_at, id);
create index alerts_control_point on alerts (control_point_id, status, type);
create index alerts_pond on alerts (pond_id, status, type);

create table logs (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C",
  entity_type TEXT COLLATE "C" not null,
  entity_id TEXT COLLATE "C" not null,
  entity_name TEXT COLLATE "C" not null,
  action TEXT COLLATE "C" not null,
  user_id TEXT COLLATE "C",
  origin TEXT COLLATE "C",
  details TEXT COLLATE "C",
  timestamp TEXT COLLATE "C" not null,
  clock_quality TEXT COLLATE "C" not null,
  rev BIGINT not null,
  hidden BIGINT not null
);
create index logs_farm on logs (farm_id, entity_type, timestamp, id);
create index logs_entity on logs (entity_id, timestamp, id);

create table notifications (
  id TEXT COLLATE "C" primary key,
  user_id TEXT COLLATE "C" not null references users (id) deferrable initially deferred,
  farm_id TEXT COLLATE "C",
  type TEXT COLLATE "C" not null,
  title TEXT COLLATE "C" not null,
  message TEXT COLLATE "C" not null,
  data TEXT COLLATE "C" not null,
  is_read BIGINT not null,
  read_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null,
  rev BIGINT not null,
  hidden BIGINT not null
);
create index notifications_user on notifications (user_id, created_at, id);
create index notifications_unread on notifications (user_id, type) where is_read = 0;

-- What never leaves this instance --------------------------------------------------------------------------------

create table instance_values (id TEXT COLLATE "C" primary key, value TEXT COLLATE "C" not null);
create table revoked_tokens (id TEXT COLLATE "C" primary key, expires_at TEXT COLLATE "C" not null);
create index revoked_tokens_expiry on revoked_tokens (expires_at);
create table presence (
  id TEXT COLLATE "C" primary key,
  last_heartbeat TEXT COLLATE "C" not null,
  consumption DOUBLE PRECISION not null
);
create table device_keys (
  id TEXT COLLATE "C" primary key,
  control_point_id TEXT COLLATE "C" not null,
  key_hash TEXT COLLATE "C" not null,
  state TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  activated_at TEXT COLLATE "C",
  retires_at TEXT COLLATE "C"
);
create index device_keys_control_point on device_keys (control_point_id);
create table idempotent_answers (
  id TEXT COLLATE "C" primary key,
  body_hash TEXT COLLATE "C" not null,
  status BIGINT not null,
  answer TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null
);
create index idempotent_answers_created on idempotent_answers (created_at);
create table numeric_ids (id TEXT COLLATE "C" primary key, entity TEXT COLLATE "C" not null, uuid TEXT COLLATE "C" not null);
create unique index numeric_ids_uuid_unique on numeric_ids (entity, uuid);

-- Tripwires: nothing but a unit of work may change a synchronised table -------------------------------------------

create function refuse_outside_unit() returns trigger language plpgsql as $$
begin
  if current_setting('farm.unit_is_open', true) is distinct from '1' then
    raise exception 'rows of % change through commit only', tg_table_name;
  end if;
  return null;
end $$;
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger users_guard before insert or update or delete on users for each statement execute function refuse_outside_unit();
create trigger addresses_guard before insert or update or delete on addresses for each statement execute function refuse_outside_unit();
create trigger farms_guard before insert or update or delete on farms for each statement execute function refuse_outside_unit();
create trigger farm_members_guard before insert or update or delete on farm_members for each statement execute function refuse_outside_unit();
create trigger subscriptions_guard before insert or update or delete on subscriptions for each statement execute function refuse_outside_unit();
create trigger control_points_guard before insert or update or delete on control_points for each statement execute function refuse_outside_unit();
create trigger ponds_guard before insert or update or delete on ponds for each statement execute function refuse_outside_unit();
create trigger aerators_guard before insert or update or delete on aerators for each statement execute function refuse_outside_unit();
create trigger schedules_guard before insert or update or delete on schedules for each statement execute function refuse_outside_unit();
create trigger orders_guard before insert or update or delete on orders for each statement execute function refuse_outside_unit();
create trigger alerts_guard before insert or update or delete on alerts for each statement execute function refuse_outside_unit();
create trigger notifications_guard before insert or update or delete on notifications for each statement execute function refuse_outside_unit();
create trigger logs_guard before insert or update or delete on logs for each statement execute function refuse_outside_unit();
create trigger logs_append_only before update on logs for each statement execute function refuse_change();
