-- Gateway: probes in the water that speak Modbus, and the buses they hang on. What they measure goes into measurements.
create table probe_buses (
  id TEXT primary key,
  farm_id TEXT not null,
  name TEXT not null,
  kind TEXT not null,
  device TEXT,
  baud INTEGER not null,
  parity TEXT not null,
  stop_bits INTEGER not null,
  host TEXT,
  port INTEGER not null,
  is_enabled INTEGER not null,
  created_at TEXT not null,
  updated_at TEXT
) strict, without rowid;
create index probe_buses_farm on probe_buses (farm_id);

create table probes (
  id TEXT primary key,
  farm_id TEXT not null,
  probe_bus_id TEXT not null,
  pond_id TEXT not null,
  name TEXT not null,
  unit_id INTEGER not null,
  probe_profile_id TEXT not null,
  poll_s INTEGER not null,
  is_enabled INTEGER not null,
  calibrated_at TEXT,
  calibration_days INTEGER,
  created_at TEXT not null,
  updated_at TEXT
) strict, without rowid;
create index probes_farm on probes (farm_id);
create unique index probes_place_unique on probes (probe_bus_id, unit_id, probe_profile_id);
create index probes_pond on probes (pond_id);

create table probe_profiles (
  id TEXT primary key,
  farm_id TEXT not null,
  name TEXT not null,
  notes TEXT,
  registers TEXT not null,
  created_at TEXT not null,
  updated_at TEXT
) strict, without rowid;
create index probe_profiles_farm on probe_profiles (farm_id);
