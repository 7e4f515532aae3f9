-- Accounts that pay, limits, and notifications that arrive.

alter table subscriptions add column payment_provider TEXT COLLATE "C";
alter table subscriptions add column payment_customer_id TEXT COLLATE "C";
alter table subscriptions add column payment_subscription_id TEXT COLLATE "C";
alter table subscriptions add column current_period_start TEXT COLLATE "C";
alter table subscriptions add column current_period_end TEXT COLLATE "C";
alter table subscriptions add column cancel_at_period_end BIGINT not null default 0;
alter table subscriptions add column past_due_since TEXT COLLATE "C";
alter table subscriptions add column max_farms BIGINT;
alter table subscriptions add column max_ponds_per_farm BIGINT;
alter table subscriptions add column max_batches_per_pond BIGINT;
alter table subscriptions add column features TEXT COLLATE "C";

create table notification_channels (
  id TEXT COLLATE "C" primary key,
  user_id TEXT COLLATE "C" not null references users (id) deferrable initially deferred,
  kind TEXT COLLATE "C" not null,
  address TEXT COLLATE "C" not null,
  keys TEXT COLLATE "C",
  types TEXT COLLATE "C" not null,
  min_severity TEXT COLLATE "C" not null,
  quiet_from TEXT COLLATE "C",
  quiet_to TEXT COLLATE "C",
  timezone TEXT COLLATE "C" not null,
  is_active BIGINT not null,
  verified_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index notification_channels_user on notification_channels (user_id, created_at, id);

create table access_tokens (
  id TEXT COLLATE "C" primary key,
  user_id TEXT COLLATE "C" not null references users (id) deferrable initially deferred,
  name TEXT COLLATE "C" not null,
  scopes TEXT COLLATE "C" not null,
  token_hash TEXT COLLATE "C" not null,
  hint TEXT COLLATE "C" not null,
  expires_at TEXT COLLATE "C",
  revoked_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index access_tokens_hash_unique on access_tokens (token_hash);
create index access_tokens_user on access_tokens (user_id, created_at, id);

create table invitations (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  kind TEXT COLLATE "C" not null,
  role TEXT COLLATE "C" not null,
  email_key TEXT COLLATE "C",
  code_hash TEXT COLLATE "C" not null,
  created_by TEXT COLLATE "C" not null,
  expires_at TEXT COLLATE "C" not null,
  state TEXT COLLATE "C" not null,
  answered_by TEXT COLLATE "C",
  answered_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index invitations_code_unique on invitations (code_hash);
create index invitations_farm on invitations (farm_id, created_at, id);
create index invitations_email on invitations (email_key, state);

create table deliveries (
  id TEXT COLLATE "C" primary key,
  notification_id TEXT COLLATE "C",
  channel_id TEXT COLLATE "C" not null,
  user_id TEXT COLLATE "C" not null,
  kind TEXT COLLATE "C" not null,
  purpose TEXT COLLATE "C" not null,
  is_critical BIGINT not null,
  body TEXT COLLATE "C",
  state TEXT COLLATE "C" not null,
  attempts BIGINT not null,
  next_at TEXT COLLATE "C" not null,
  last_error TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null,
  done_at TEXT COLLATE "C"
);
create index deliveries_due on deliveries (kind, is_critical, next_at, id) where state = 'PENDING';
create index deliveries_dead on deliveries (kind) where state = 'DEAD';
create index deliveries_done on deliveries (done_at) where done_at is not null;
create index deliveries_channel on deliveries (channel_id, created_at, id);
create index deliveries_user on deliveries (user_id, is_critical, created_at, id) where state = 'PENDING';

create index alerts_unanswered on alerts (told_at) where status = 'ACTIVE' and severity = 'HIGH' and acknowledged_at is null and told_at is not null;

create table payment_events (
  id TEXT COLLATE "C" primary key,
  type TEXT COLLATE "C" not null,
  provider TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  received_at TEXT COLLATE "C" not null,
  outcome TEXT COLLATE "C" not null
);
create index payment_events_received on payment_events (received_at);

create table payment_objects (
  id TEXT COLLATE "C" primary key,
  kind TEXT COLLATE "C" not null,
  customer_id TEXT COLLATE "C",
  body TEXT COLLATE "C" not null,
  due_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C" not null
);
create index payment_objects_customer on payment_objects (customer_id, kind, created_at);
create index payment_objects_due on payment_objects (due_at, id) where due_at is not null;

create table provider_subscriptions (
  id TEXT COLLATE "C" primary key,
  provider TEXT COLLATE "C" not null,
  user_id TEXT COLLATE "C" not null,
  customer_id TEXT COLLATE "C",
  facts TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C" not null
);
create index provider_subscriptions_user on provider_subscriptions (user_id, provider);
create index subscriptions_customer on subscriptions (payment_customer_id) where payment_customer_id is not null;

create table token_uses (
  id TEXT COLLATE "C" primary key,
  used_at TEXT COLLATE "C" not null,
  source TEXT COLLATE "C" not null
);

create table usage_crossings (
  id TEXT COLLATE "C" primary key,
  user_id TEXT COLLATE "C" not null,
  resource TEXT COLLATE "C" not null,
  level BIGINT not null,
  crossed_at TEXT COLLATE "C" not null
);
create index usage_crossings_user on usage_crossings (user_id);

-- Requests per user and hour, shared by all processes; what a crash loses of them is of no matter.
create unlogged table request_counts (
  key VARCHAR(255) primary key,
  points INTEGER not null default 0,
  expire BIGINT
);
create index request_counts_expire on request_counts (expire);

-- What an owner has is counted with every create, from these alone.
create index farms_owner_count on farms (owner_id, hidden);
create index ponds_farm_count on ponds (farm_id, hidden);
create index batches_farm_count on batches (farm_id, status, hidden);

-- Tripwires: nothing but a unit of work may change a synchronised table -----------------------------------------
create trigger notification_channels_guard before insert or update or delete on notification_channels for each statement execute function refuse_outside_unit();
create trigger access_tokens_guard before insert or update or delete on access_tokens for each statement execute function refuse_outside_unit();
create trigger invitations_guard before insert or update or delete on invitations for each statement execute function refuse_outside_unit();
