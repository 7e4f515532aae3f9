-- Two-way sync. One stream per gateway: on a gateway the one row of sync_stream tells of itself, on a hosted instance
-- each paired gateway has one. `in_*` is what was applied of the other side's log, `acked_*` what the other side
-- confirmed of ours, each with the chain of hashes at that number.

alter table sync_stream add column in_core_seq BIGINT not null default 0;
alter table sync_stream add column in_core_chain TEXT COLLATE "C" not null default '';
alter table sync_stream add column in_history_seq BIGINT not null default 0;
alter table sync_stream add column in_history_chain TEXT COLLATE "C" not null default '';
alter table sync_stream add column acked_core_seq BIGINT not null default 0;
alter table sync_stream add column acked_core_chain TEXT COLLATE "C" not null default '';
alter table sync_stream add column acked_history_seq BIGINT not null default 0;
alter table sync_stream add column acked_history_chain TEXT COLLATE "C" not null default '';
-- the smallest number of the feed that is still kept; below it a gateway starts anew from a snapshot
alter table sync_stream add column floor_seq BIGINT not null default 0;
-- life of the other side's database (PostgreSQL's timeline): another one means that it may have lost its last commits
alter table sync_stream add column timeline TEXT COLLATE "C" not null default '';
-- why everything must be compared anew; null: nothing is amiss
alter table sync_stream add column resync TEXT COLLATE "C";

-- stamps per field group of a whole row that is told again after a resync; null everywhere else
alter table sync_change add column over_json TEXT COLLATE "C";

-- On a gateway: what the hosted instance knew of each row, while a resync runs.
create table sync_seen (
  entity BIGINT not null,
  id TEXT COLLATE "C" not null,
  cl BIGINT not null,
  hlc TEXT COLLATE "C" not null,
  over_json TEXT COLLATE "C" not null,
  primary key (entity, id)
);

-- Rows that could not be applied: shown, tried again after an upgrade, never in the way of the rest.
create table sync_parked (
  id TEXT COLLATE "C" primary key,
  stream_id BIGINT not null,
  lane TEXT COLLATE "C" not null,
  seq BIGINT not null,
  entity BIGINT not null,
  row_id TEXT COLLATE "C" not null,
  reason TEXT COLLATE "C" not null,
  change_json TEXT COLLATE "C" not null,
  parked_at TEXT COLLATE "C" not null,
  tries BIGINT not null
);
create index sync_parked_stream on sync_parked (stream_id, parked_at);

-- Edits that lost against a concurrent one, kept for 90 days and restorable.
create table sync_conflicts (
  id TEXT COLLATE "C" primary key,
  stream_id BIGINT not null,
  farm_id TEXT COLLATE "C",
  entity BIGINT not null,
  row_id TEXT COLLATE "C" not null,
  field_group TEXT COLLATE "C" not null,
  rule TEXT COLLATE "C" not null,
  kept_json TEXT COLLATE "C" not null,
  dropped_json TEXT COLLATE "C" not null,
  kept_hlc TEXT COLLATE "C" not null,
  dropped_hlc TEXT COLLATE "C" not null,
  kept_by TEXT COLLATE "C",
  dropped_by TEXT COLLATE "C",
  state TEXT COLLATE "C" not null,
  found_at TEXT COLLATE "C" not null,
  settled_at TEXT COLLATE "C",
  settled_by TEXT COLLATE "C"
);
create index sync_conflicts_row on sync_conflicts (entity, row_id, field_group);
create index sync_conflicts_farm on sync_conflicts (farm_id, found_at);

-- Stamps too far in the future that were set anew when they were accepted. They are kept: a gateway that comes back from
-- an older image of its card needs them again.
create table sync_restamps (
  stream_id BIGINT not null,
  epoch BIGINT not null,
  lane TEXT COLLATE "C" not null,
  seq BIGINT not null,
  chain TEXT COLLATE "C" not null,
  from_hlc TEXT COLLATE "C" not null,
  to_hlc TEXT COLLATE "C" not null,
  restamped_at TEXT COLLATE "C" not null,
  primary key (stream_id, epoch, lane, seq)
);

-- Hosted: chain of what was applied at some numbers, so that an overlapping push can be checked.
create table sync_marks (
  stream_id BIGINT not null,
  lane TEXT COLLATE "C" not null,
  seq BIGINT not null,
  chain TEXT COLLATE "C" not null,
  marked_at TEXT COLLATE "C" not null,
  primary key (stream_id, lane, seq)
);

-- Hosted: which gateway runs a farm; id is the farm's.
create table sync_farms (
  id TEXT COLLATE "C" primary key,
  stream_id BIGINT not null,
  bound_at TEXT COLLATE "C" not null
);
create index sync_farms_stream on sync_farms (stream_id);

-- Hosted: paired gateways and how they are.
create table gateways (
  id TEXT COLLATE "C" primary key,
  stream_id BIGINT not null unique,
  owner_id TEXT COLLATE "C" not null,
  name TEXT COLLATE "C" not null,
  public_key TEXT COLLATE "C" not null,
  -- a new key, valid beside the old one until the old one retires
  next_public_key TEXT COLLATE "C",
  key_retires_at TEXT COLLATE "C",
  status TEXT COLLATE "C" not null,
  software TEXT COLLATE "C" not null,
  schema_version BIGINT not null,
  hardware TEXT COLLATE "C" not null,
  paired_at TEXT COLLATE "C" not null,
  revoked_at TEXT COLLATE "C",
  last_seen_at TEXT COLLATE "C",
  last_report_json TEXT COLLATE "C",
  outage_until TEXT COLLATE "C",
  outage_reason TEXT COLLATE "C",
  silent_since TEXT COLLATE "C",
  -- the last starts of it that came in, newest last: one that comes back behind another tells of a copied card
  runs_json TEXT COLLATE "C" not null
);
create index gateways_owner on gateways (owner_id);

-- Hosted: pairings under way, a quarter of an hour each. Codes are stored hashed.
create table pairings (
  id TEXT COLLATE "C" primary key,
  user_code_hash TEXT COLLATE "C" not null unique,
  gateway_id TEXT COLLATE "C" not null,
  public_key TEXT COLLATE "C" not null,
  name TEXT COLLATE "C" not null,
  software TEXT COLLATE "C" not null,
  schema_version BIGINT not null,
  hardware TEXT COLLATE "C" not null,
  state TEXT COLLATE "C" not null,
  claimed_by TEXT COLLATE "C",
  stream_id BIGINT,
  created_at TEXT COLLATE "C" not null,
  expires_at TEXT COLLATE "C" not null
);
create index pairings_expires on pairings (expires_at);

-- Hosted: people whose account stands on a gateway alone. Their rows in users are stand-ins that cannot log in.
create table local_users (
  id TEXT COLLATE "C" primary key,
  stream_id BIGINT not null,
  name TEXT COLLATE "C" not null,
  email TEXT COLLATE "C" not null,
  state TEXT COLLATE "C" not null,
  seen_at TEXT COLLATE "C" not null
);
create index local_users_stream on local_users (stream_id);

-- Hosted: orders on their way to a gateway.
create table commands (
  id TEXT COLLATE "C" primary key,
  stream_id BIGINT not null,
  control_point_id TEXT COLLATE "C" not null,
  target_status TEXT COLLATE "C" not null,
  issued_by TEXT COLLATE "C",
  -- aerator whose switching the order came from; its row follows when the gateway took the order
  aerator_id TEXT COLLATE "C",
  reason TEXT COLLATE "C",
  hold_s BIGINT,
  -- version of the target that whoever ordered saw; a newer one supersedes the order unless it is forced
  basis_version BIGINT not null,
  basis_epoch TEXT COLLATE "C" not null,
  is_forced BIGINT not null,
  issued_at_ms BIGINT not null,
  expires_at_ms BIGINT not null,
  state TEXT COLLATE "C" not null,
  state_at TEXT COLLATE "C" not null,
  result TEXT COLLATE "C"
);
create index commands_open on commands (stream_id, state, expires_at_ms);
create index commands_due on commands (expires_at_ms) where state in ('pending', 'sent', 'accepted');
create index commands_control_point on commands (control_point_id, issued_at_ms);

-- Gateway: commands that were taken, written before anything is switched.
create table commands_taken (
  id TEXT COLLATE "C" primary key,
  state TEXT COLLATE "C" not null,
  result TEXT COLLATE "C",
  taken_at TEXT COLLATE "C" not null
);
create index commands_taken_at on commands_taken (taken_at);

-- Hosted: work that one process does for all.
create table leases (
  id TEXT COLLATE "C" primary key,
  holder TEXT COLLATE "C" not null,
  until_ms BIGINT not null,
  -- grows with every change of holder
  term BIGINT not null
);
