-- Firmware of controllers over the air.

-- Signed images; the bytes lie in files named by their hash.
create table firmware_images (
  id TEXT COLLATE "C" primary key,
  chip TEXT COLLATE "C" not null,
  version TEXT COLLATE "C" not null,
  size BIGINT not null,
  sha256 TEXT COLLATE "C" not null,
  signature TEXT COLLATE "C" not null,
  -- first 16 hex digits of the SHA-256 of the publisher's key
  signed_by TEXT COLLATE "C" not null,
  notes TEXT COLLATE "C",
  uploaded_by TEXT COLLATE "C" not null,
  uploaded_at TEXT COLLATE "C" not null
);
create unique index firmware_images_version_unique on firmware_images (chip, version);

create table firmware_rollouts (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null,
  firmware_id TEXT COLLATE "C" not null,
  chip TEXT COLLATE "C" not null,
  version TEXT COLLATE "C" not null,
  state TEXT COLLATE "C" not null,
  -- local time of the farm, HH:MM; both null: at any time
  window_from TEXT COLLATE "C",
  window_to TEXT COLLATE "C",
  canary_size BIGINT not null,
  wave_size BIGINT not null,
  soak_s BIGINT not null,
  max_failures BIGINT not null,
  allow_older BIGINT not null,
  reason TEXT COLLATE "C",
  created_by TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  finished_at TEXT COLLATE "C"
);
create index firmware_rollouts_farm on firmware_rollouts (farm_id, created_at);

-- One controller of a rollout.
create table firmware_targets (
  id TEXT COLLATE "C" primary key,
  rollout_id TEXT COLLATE "C" not null,
  farm_id TEXT COLLATE "C" not null,
  control_point_id TEXT COLLATE "C" not null,
  cod TEXT COLLATE "C" not null,
  device_id TEXT COLLATE "C" not null,
  place BIGINT not null,
  -- 0 is the canary; null: not asked yet
  wave BIGINT,
  state TEXT COLLATE "C" not null,
  reason TEXT COLLATE "C",
  detail TEXT COLLATE "C",
  attempt BIGINT not null,
  from_version TEXT COLLATE "C",
  state_at TEXT COLLATE "C" not null
);
create index firmware_targets_rollout on firmware_targets (rollout_id, place);
create index firmware_targets_control_point on firmware_targets (control_point_id);
