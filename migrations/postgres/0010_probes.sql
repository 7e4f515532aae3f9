-- Gateway: probes in the water that speak Modbus, and the buses they hang on. What they measure goes into measurements.
create table probe_buses (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null,
  name TEXT COLLATE "C" not null,
  kind TEXT COLLATE "C" not null,
  device TEXT COLLATE "C",
  baud BIGINT not null,
  parity TEXT COLLATE "C" not null,
  stop_bits BIGINT not null,
  host TEXT COLLATE "C",
  port BIGINT not null,
  is_enabled BIGINT not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C"
);
create index probe_buses_farm on probe_buses (farm_id);

create table probes (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null,
  probe_bus_id TEXT COLLATE "C" not null,
  pond_id TEXT COLLATE "C" not null,
  name TEXT COLLATE "C" not null,
  unit_id BIGINT not null,
  probe_profile_id TEXT COLLATE "C" not null,
  poll_s BIGINT not null,
  is_enabled BIGINT not null,
  calibrated_at TEXT COLLATE "C",
  calibration_days BIGINT,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C"
);
create index probes_farm on probes (farm_id);
create unique index probes_place_unique on probes (probe_bus_id, unit_id, probe_profile_id);
create index probes_pond on probes (pond_id);

create table probe_profiles (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null,
  name TEXT COLLATE "C" not null,
  notes TEXT COLLATE "C",
  registers TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C"
);
create index probe_profiles_farm on probe_profiles (farm_id);
