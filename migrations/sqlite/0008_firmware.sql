-- Firmware of controllers over the air.

-- Signed images; the bytes lie in files named by their hash.
create table firmware_images (
  id TEXT primary key,
  chip TEXT not null,
  version TEXT not null,
  size INTEGER not null,
  sha256 TEXT not null,
  signature TEXT not null,
  -- first 16 hex digits of the SHA-256 of the publisher's key
  signed_by TEXT not null,
  notes TEXT,
  uploaded_by TEXT not null,
  uploaded_at TEXT not null
) strict, without rowid;
create unique index firmware_images_version_unique on firmware_images (chip, version);

create table firmware_rollouts (
  id TEXT primary key,
  farm_id TEXT not null,
  firmware_id TEXT not null,
  chip TEXT not null,
  version TEXT not null,
  state TEXT not null,
  -- local time of the farm, HH:MM; both null: at any time
  window_from TEXT,
  window_to TEXT,
  canary_size INTEGER not null,
  wave_size INTEGER not null,
  soak_s INTEGER not null,
  max_failures INTEGER not null,
  allow_older INTEGER not null,
  reason TEXT,
  created_by TEXT not null,
  created_at TEXT not null,
  finished_at TEXT
) strict, without rowid;
create index firmware_rollouts_farm on firmware_rollouts (farm_id, created_at);

-- One controller of a rollout.
create table firmware_targets (
  id TEXT primary key,
  rollout_id TEXT not null,
  farm_id TEXT not null,
  control_point_id TEXT not null,
  cod TEXT not null,
  device_id TEXT not null,
  place INTEGER not null,
  -- 0 is the canary; null: not asked yet
  wave INTEGER,
  state TEXT not null,
  reason TEXT,
  detail TEXT,
  attempt INTEGER not null,
  from_version TEXT,
  state_at TEXT not null
) strict, without rowid;
create index firmware_targets_rollout on firmware_targets (rollout_id, place);
create index firmware_targets_control_point on firmware_targets (control_point_id);
