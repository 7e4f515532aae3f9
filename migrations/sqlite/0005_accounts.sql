-- Accounts that pay, limits, and notifications that arrive.

alter table subscriptions add column payment_provider TEXT;
alter table subscriptions add column payment_customer_id TEXT;
alter table subscriptions add column payment_subscription_id TEXT;
alter table subscriptions add column current_period_start TEXT;
alter table subscriptions add column current_period_end TEXT;
alter table subscriptions add column cancel_at_period_end INTEGER not null default 0;
alter table subscriptions add column past_due_since TEXT;
alter table subscriptions add column max_farms INTEGER;
alter table subscriptions add column max_ponds_per_farm INTEGER;
alter table subscriptions add column max_batches_per_pond INTEGER;
alter table subscriptions add column features TEXT;

create table notification_channels (
  id TEXT primary key,
  user_id TEXT not null references users (id) deferrable initially deferred,
  kind TEXT not null,
  address TEXT not null,
  keys TEXT,
  types TEXT not null,
  min_severity TEXT not null,
  quiet_from TEXT,
  quiet_to TEXT,
  timezone TEXT not null,
  is_active INTEGER not null,
  verified_at TEXT,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index notification_channels_user on notification_channels (user_id, created_at, id);

create table access_tokens (
  id TEXT primary key,
  user_id TEXT not null references users (id) deferrable initially deferred,
  name TEXT not null,
  scopes TEXT not null,
  token_hash TEXT not null,
  hint TEXT not null,
  expires_at TEXT,
  revoked_at TEXT,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index access_tokens_hash_unique on access_tokens (token_hash);
create index access_tokens_user on access_tokens (user_id, created_at, id);

create table invitations (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  kind TEXT not null,
  role TEXT not null,
  email_key TEXT,
  code_hash TEXT not null,
  created_by TEXT not null,
  expires_at TEXT not null,
  state TEXT not null,
  answered_by TEXT,
  answered_at TEXT,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index invitations_code_unique on invitations (code_hash);
create index invitations_farm on invitations (farm_id, created_at, id);
create index invitations_email on invitations (email_key, state);

create table deliveries (
  id TEXT primary key,
  notification_id TEXT,
  channel_id TEXT not null,
  user_id TEXT not null,
  kind TEXT not null,
  purpose TEXT not null,
  is_critical INTEGER not null,
  body TEXT,
  state TEXT not null,
  attempts INTEGER not null,
  next_at TEXT not null,
  last_error TEXT,
  created_at TEXT not null,
  done_at TEXT
) strict, without rowid;
create index deliveries_due on deliveries (kind, is_critical, next_at, id) where state = 'PENDING';
create index deliveries_dead on deliveries (kind) where state = 'DEAD';
create index deliveries_done on deliveries (done_at) where done_at is not null;
create index deliveries_channel on deliveries (channel_id, created_at, id);
create index deliveries_user on deliveries (user_id, is_critical, created_at, id) where state = 'PENDING';

create index alerts_unanswered on alerts (told_at) where status = 'ACTIVE' and severity = 'HIGH' and acknowledged_at is null and told_at is not null;

create table payment_events (
  id TEXT primary key,
  type TEXT not null,
  provider TEXT not null,
  created_at TEXT not null,
  received_at TEXT not null,
  outcome TEXT not null
) strict, without rowid;
create index payment_events_received on payment_events (received_at);

create table payment_objects (
  id TEXT primary key,
  kind TEXT not null,
  customer_id TEXT,
  body TEXT not null,
  due_at TEXT,
  created_at TEXT not null,
  updated_at TEXT not null
) strict, without rowid;
create index payment_objects_customer on payment_objects (customer_id, kind, created_at);
create index payment_objects_due on payment_objects (due_at, id) where due_at is not null;

create table provider_subscriptions (
  id TEXT primary key,
  provider TEXT not null,
  user_id TEXT not null,
  customer_id TEXT,
  facts TEXT not null,
  updated_at TEXT not null
) strict, without rowid;
create index provider_subscriptions_user on provider_subscriptions (user_id, provider);
create index subscriptions_customer on subscriptions (payment_customer_id) where payment_customer_id is not null;

create table token_uses (
  id TEXT primary key,
  used_at TEXT not null,
  source TEXT not null
) strict, without rowid;

create table usage_crossings (
  id TEXT primary key,
  user_id TEXT not null,
  resource TEXT not null,
  level INTEGER not null,
  crossed_at TEXT not null
) strict, without rowid;
create index usage_crossings_user on usage_crossings (user_id);

-- What an owner has is counted with every create, from these alone.
create index farms_owner_count on farms (owner_id, hidden);
create index ponds_farm_count on ponds (farm_id, hidden);
create index batches_farm_count on batches (farm_id, status, hidden);

-- Tripwires: nothing but a unit of work may change a synchronised table -----------------------------------------
create trigger notification_channels_insert_guard before insert on notification_channels when unit_is_open() = 0 begin select raise(abort, 'rows of notification_channels change through commit only'); end;
create trigger notification_channels_update_guard before update on notification_channels when unit_is_open() = 0 begin select raise(abort, 'rows of notification_channels change through commit only'); end;
create trigger notification_channels_delete_guard before delete on notification_channels when unit_is_open() = 0 begin select raise(abort, 'rows of notification_channels change through commit only'); end;
create trigger access_tokens_insert_guard before insert on access_tokens when unit_is_open() = 0 begin select raise(abort, 'rows of access_tokens change through commit only'); end;
create trigger access_tokens_update_guard before update on access_tokens when unit_is_open() = 0 begin select raise(abort, 'rows of access_tokens change through commit only'); end;
create trigger access_tokens_delete_guard before delete on access_tokens when unit_is_open() = 0 begin select raise(abort, 'rows of access_tokens change through commit only'); end;
create trigger invitations_insert_guard before insert on invitations when unit_is_open() = 0 begin select raise(abort, 'rows of invitations change through commit only'); end;
create trigger invitations_update_guard before update on invitations when unit_is_open() = 0 begin select raise(abort, 'rows of invitations change through commit only'); end;
create trigger invitations_delete_guard before delete on invitations when unit_is_open() = 0 begin select raise(abort, 'rows of invitations change through commit only'); end;
