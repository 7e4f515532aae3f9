-- Two-way sync. One stream per gateway: on a gateway the one row of sync_stream tells of itself, on a hosted instance
-- each paired gateway has one. `in_*` is what was applied of the other side's log, `acked_*` what the other side
-- confirmed of ours, each with the chain of hashes at that number.

alter table sync_stream add column in_core_seq INTEGER not null default 0;
alter table sync_stream add column in_core_chain TEXT not null default '';
alter table sync_stream add column in_history_seq INTEGER not null default 0;
alter table sync_stream add column in_history_chain TEXT not null default '';
alter table sync_stream add column acked_core_seq INTEGER not null default 0;
alter table sync_stream add column acked_core_chain TEXT not null default '';
alter table sync_stream add column acked_history_seq INTEGER not null default 0;
alter table sync_stream add column acked_history_chain TEXT not null default '';
-- the smallest number of the feed that is still kept; below it a gateway starts anew from a snapshot
alter table sync_stream add column floor_seq INTEGER not null default 0;
-- life of the other side's database (PostgreSQL's timeline): another one means that it may have lost its last commits
alter table sync_stream add column timeline TEXT not null default '';
-- why everything must be compared anew; null: nothing is amiss
alter table sync_stream add column resync TEXT;

-- stamps per field group of a whole row that is told again after a resync; null everywhere else
alter table sync_change add column over_json TEXT;

-- On a gateway: what the hosted instance knew of each row, while a resync runs.
create table sync_seen (
  entity INTEGER not null,
  id TEXT not null,
  cl INTEGER not null,
  hlc TEXT not null,
  over_json TEXT not null,
  primary key (entity, id)
) strict, without rowid;

-- Rows that could not be applied: shown, tried again after an upgrade, never in the way of the rest.
create table sync_parked (
  id TEXT primary key,
  stream_id INTEGER not null,
  lane TEXT not null,
  seq INTEGER not null,
  entity INTEGER not null,
  row_id TEXT not null,
  reason TEXT not null,
  change_json TEXT not null,
  parked_at TEXT not null,
  tries INTEGER not null
) strict, without rowid;
create index sync_parked_stream on sync_parked (stream_id, parked_at);

-- Edits that lost against a concurrent one, kept for 90 days and restorable.
create table sync_conflicts (
  id TEXT primary key,
  stream_id INTEGER not null,
  farm_id TEXT,
  entity INTEGER not null,
  row_id TEXT not null,
  field_group TEXT not null,
  rule TEXT not null,
  kept_json TEXT not null,
  dropped_json TEXT not null,
  kept_hlc TEXT not null,
  dropped_hlc TEXT not null,
  kept_by TEXT,
  dropped_by TEXT,
  state TEXT not null,
  found_at TEXT not null,
  settled_at TEXT,
  settled_by TEXT
) strict, without rowid;
create index sync_conflicts_row on sync_conflicts (entity, row_id, field_group);
create index sync_conflicts_farm on sync_conflicts (farm_id, found_at);

-- Stamps too far in the future that were set anew when they were accepted. They are kept: a gateway that comes back from
-- an older image of its card needs them again.
create table sync_restamps (
  stream_id INTEGER not null,
  epoch INTEGER not null,
  lane TEXT not null,
  seq INTEGER not null,
  chain TEXT not null,
  from_hlc TEXT not null,
  to_hlc TEXT not null,
  restamped_at TEXT not null,
  primary key (stream_id, epoch, lane, seq)
) strict, without rowid;

-- Hosted: chain of what was applied at some numbers, so that an overlapping push can be checked.
create table sync_marks (
  stream_id INTEGER not null,
  lane TEXT not null,
  seq INTEGER not null,
  chain TEXT not null,
  marked_at TEXT not null,
  primary key (stream_id, lane, seq)
) strict, without rowid;

-- Hosted: which gateway runs a farm; id is the farm's.
create table sync_farms (
  id TEXT primary key,
  stream_id INTEGER not null,
  bound_at TEXT not null
) strict, without rowid;
create index sync_farms_stream on sync_farms (stream_id);

-- Hosted: paired gateways and how they are.
create table gateways (
  id TEXT primary key,
  stream_id INTEGER not null unique,
  owner_id TEXT not null,
  name TEXT not null,
  public_key TEXT not null,
  -- a new key, valid beside the old one until the old one retires
  next_public_key TEXT,
  key_retires_at TEXT,
  status TEXT not null,
  software TEXT not null,
  schema_version INTEGER not null,
  hardware TEXT not null,
  paired_at TEXT not null,
  revoked_at TEXT,
  last_seen_at TEXT,
  last_report_json TEXT,
  outage_until TEXT,
  outage_reason TEXT,
  silent_since TEXT,
  -- the last starts of it that came in, newest last: one that comes back behind another tells of a copied card
  runs_json TEXT not null
) strict, without rowid;
create index gateways_owner on gateways (owner_id);

-- Hosted: pairings under way, a quarter of an hour each. Codes are stored hashed.
create table pairings (
  id TEXT primary key,
  user_code_hash TEXT not null unique,
  gateway_id TEXT not null,
  public_key TEXT not null,
  name TEXT not null,
  software TEXT not null,
  schema_version INTEGER not null,
  hardware TEXT not null,
  state TEXT not null,
  claimed_by TEXT,
  stream_id INTEGER,
  created_at TEXT not null,
  expires_at TEXT not null
) strict, without rowid;
create index pairings_expires on pairings (expires_at);

-- Hosted: people whose account stands on a gateway alone. Their rows in users are stand-ins that cannot log in.
create table local_users (
  id TEXT primary key,
  stream_id INTEGER not null,
  name TEXT not null,
  email TEXT not null,
  state TEXT not null,
  seen_at TEXT not null
) strict, without rowid;
create index local_users_stream on local_users (stream_id);

-- Hosted: orders on their way to a gateway.
create table commands (
  id TEXT primary key,
  stream_id INTEGER not null,
  control_point_id TEXT not null,
  target_status TEXT not null,
  issued_by TEXT,
  -- aerator whose switching the order came from; its row follows when the gateway took the order
  aerator_id TEXT,
  reason TEXT,
  hold_s INTEGER,
  -- version of the target that whoever ordered saw; a newer one supersedes the order unless it is forced
  basis_version INTEGER not null,
  basis_epoch TEXT not null,
  is_forced INTEGER not null,
  issued_at_ms INTEGER not null,
  expires_at_ms INTEGER not null,
  state TEXT not null,
  state_at TEXT not null,
  result TEXT
) strict, without rowid;
create index commands_open on commands (stream_id, state, expires_at_ms);
create index commands_due on commands (expires_at_ms) where state in ('pending', 'sent', 'accepted');
create index commands_control_point on commands (control_point_id, issued_at_ms);

-- Gateway: commands that were taken, written before anything is switched.
create table commands_taken (
  id TEXT primary key,
  state TEXT not null,
  result TEXT,
  taken_at TEXT not null
) strict, without rowid;
create index commands_taken_at on commands_taken (taken_at);

-- Hosted: work that one process does for all.
create table leases (
  id TEXT primary key,
  holder TEXT not null,
  until_ms INTEGER not null,
  -- grows with every change of holder
  term INTEGER not null
) strict, without rowid;
