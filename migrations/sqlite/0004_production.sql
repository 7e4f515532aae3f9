-- Production, water and money. Instants are ISO 8601 UTC text with milliseconds, start_date is a local date.

-- Production cycles and what is recorded of them ----------------------------------------------------------------

create table batches (
  id TEXT primary key,
  numeric_id INTEGER not null,
  owner_id TEXT not null references users (id) deferrable initially deferred,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  pond_id TEXT not null references ponds (id) deferrable initially deferred,
  batch_code TEXT not null,
  species TEXT not null,
  lineage TEXT not null,
  larva_origin TEXT not null,
  start_date TEXT not null,
  expected_harvest_date TEXT,
  actual_harvest_date TEXT,
  initial_count INTEGER not null,
  initial_avg_weight REAL not null,
  initial_density REAL not null,
  estimated_survival_rate REAL not null,
  status TEXT not null,
  final_weight_kg REAL,
  end_reason TEXT,
  notes TEXT,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index batches_code_unique on batches (owner_id, batch_code) where hidden = 0;
create index batches_farm on batches (farm_id, status, created_at, id);
create index batches_pond on batches (pond_id, status);

create table survival_changes (
  id TEXT primary key,
  batch_id TEXT not null references batches (id) deferrable initially deferred,
  kind TEXT not null,
  value REAL not null,
  changed_at TEXT not null,
  description TEXT,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index survival_changes_batch on survival_changes (batch_id, changed_at, id);

create table harvests (
  id TEXT primary key,
  batch_id TEXT not null references batches (id) deferrable initially deferred,
  pond_id TEXT references ponds (id) deferrable initially deferred,
  harvest_date TEXT not null,
  quantity INTEGER not null,
  weight_kg REAL not null,
  price_per_kg REAL,
  notes TEXT,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index harvests_batch on harvests (batch_id, harvest_date, id);

create table biometries (
  id TEXT primary key,
  batch_id TEXT not null references batches (id) deferrable initially deferred,
  measurement_date TEXT not null,
  sample_size INTEGER not null,
  total_weight_g REAL not null,
  weight_sd_g REAL,
  individual_weights_g TEXT,
  notes TEXT,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index biometries_batch on biometries (batch_id, hidden, measurement_date, id);

create table feeding_records (
  id TEXT primary key,
  batch_id TEXT not null references batches (id) deferrable initially deferred,
  pond_id TEXT references ponds (id) deferrable initially deferred,
  feed_type TEXT not null,
  quantity_kg REAL not null,
  cost_per_kg REAL not null,
  feed_date TEXT not null,
  tray_leftover_percent REAL,
  notes TEXT,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
-- Dashboards add up every feeding of every batch in production: the index alone answers them.
create index feeding_records_batch on feeding_records (batch_id, hidden, feed_date, quantity_kg, cost_per_kg, id);

create table measurements (
  id TEXT primary key,
  pond_id TEXT not null references ponds (id) deferrable initially deferred,
  measurement_date TEXT not null,
  temperature REAL,
  dissolved_oxygen REAL,
  ph REAL,
  salinity REAL,
  alkalinity REAL,
  ammonia REAL,
  nitrite REAL,
  nitrate REAL,
  transparency REAL,
  notes TEXT,
  source TEXT not null,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
-- Five years of a probe: statistics, trends and the newest value are read from the index alone.
create index measurements_pond on measurements (pond_id, hidden, measurement_date, id, temperature, dissolved_oxygen, ph, salinity, alkalinity,
  ammonia, nitrite, nitrate, transparency);

create table transfers (
  id TEXT primary key,
  numeric_id INTEGER not null,
  batch_id TEXT not null references batches (id) deferrable initially deferred,
  source_pond_id TEXT not null references ponds (id) deferrable initially deferred,
  destination_pond_id TEXT not null references ponds (id) deferrable initially deferred,
  quantity INTEGER not null,
  average_weight REAL,
  transfer_date TEXT not null,
  reason TEXT,
  notes TEXT,
  contested INTEGER not null,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index transfers_batch on transfers (batch_id, transfer_date, id);
create index transfers_destination on transfers (destination_pond_id, batch_id);

create table expenses (
  id TEXT primary key,
  batch_id TEXT not null references batches (id) deferrable initially deferred,
  category TEXT not null,
  amount REAL not null,
  description TEXT not null,
  expense_date TEXT not null,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index expenses_batch on expenses (batch_id, hidden, category, amount);
create index expenses_batch_date on expenses (batch_id, expense_date, id);

-- Alerts: when the people of an episode were last told, and how bad it was then ---------------------------------

alter table alerts add column told_at TEXT;
alter table alerts add column told_severity TEXT;
-- A new alert looks at the newest of its episode, and at the shelves of its alarm; neither may depend on how many there are.
drop index alerts_pond;
create index alerts_pond on alerts (pond_id, status, type, triggered_at, id);
drop index alerts_control_point;
create index alerts_control_point on alerts (control_point_id, status, type) where control_point_id is not null;
create index alerts_shelved on alerts (farm_id, type, shelved_until) where shelved_until is not null;
create index alerts_pond_time on alerts (pond_id, triggered_at, id, hidden, type, status, severity);

-- Figures of shrimp science that a farm has set for itself ------------------------------------------------------

create table farm_science (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  overrides TEXT not null,
  updated_by TEXT,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index farm_science_farm_unique on farm_science (farm_id) where hidden = 0;

-- Tripwires: nothing but a unit of work may change a synchronised table -----------------------------------------
create trigger batches_insert_guard before insert on batches when unit_is_open() = 0 begin select raise(abort, 'rows of batches change through commit only'); end;
create trigger batches_update_guard before update on batches when unit_is_open() = 0 begin select raise(abort, 'rows of batches change through commit only'); end;
create trigger batches_delete_guard before delete on batches when unit_is_open() = 0 begin select raise(abort, 'rows of batches change through commit only'); end;
create trigger survival_changes_insert_guard before insert on survival_changes when unit_is_open() = 0 begin select raise(abort, 'rows of survival_changes change through commit only'); end;
create trigger survival_changes_update_guard before update on survival_changes when unit_is_open() = 0 begin select raise(abort, 'rows of survival_changes change through commit only'); end;
create trigger survival_changes_delete_guard before delete on survival_changes when unit_is_open() = 0 begin select raise(abort, 'rows of survival_changes change through commit only'); end;
create trigger harvests_insert_guard before insert on harvests when unit_is_open() = 0 begin select raise(abort, 'rows of harvests change through commit only'); end;
create trigger harvests_update_guard before update on harvests when unit_is_open() = 0 begin select raise(abort, 'rows of harvests change through commit only'); end;
create trigger harvests_delete_guard before delete on harvests when unit_is_open() = 0 begin select raise(abort, 'rows of harvests change through commit only'); end;
create trigger biometries_insert_guard before insert on biometries when unit_is_open() = 0 begin select raise(abort, 'rows of biometries change through commit only'); end;
create trigger biometries_update_guard before update on biometries when unit_is_open() = 0 begin select raise(abort, 'rows of biometries change through commit only'); end;
create trigger biometries_delete_guard before delete on biometries when unit_is_open() = 0 begin select raise(abort, 'rows of biometries change through commit only'); end;
create trigger feeding_records_insert_guard before insert on feeding_records when unit_is_open() = 0 begin select raise(abort, 'rows of feeding_records change through commit only'); end;
create trigger feeding_records_update_guard before update on feeding_records when unit_is_open() = 0 begin select raise(abort, 'rows of feeding_records change through commit only'); end;
create trigger feeding_records_delete_guard before delete on feeding_records when unit_is_open() = 0 begin select raise(abort, 'rows of feeding_records change through commit only'); end;
create trigger measurements_insert_guard before insert on measurements when unit_is_open() = 0 begin select raise(abort, 'rows of measurements change through commit only'); end;
create trigger measurements_update_guard before update on measurements when unit_is_open() = 0 begin select raise(abort, 'rows of measurements change through commit only'); end;
create trigger measurements_delete_guard before delete on measurements when unit_is_open() = 0 begin select raise(abort, 'rows of measurements change through commit only'); end;
create trigger transfers_insert_guard before insert on transfers when unit_is_open() = 0 begin select raise(abort, 'rows of transfers change through commit only'); end;
create trigger transfers_update_guard before update on transfers when unit_is_open() = 0 begin select raise(abort, 'rows of transfers change through commit only'); end;
create trigger transfers_delete_guard before delete on transfers when unit_is_open() = 0 begin select raise(abort, 'rows of transfers change through commit only'); end;
create trigger expenses_insert_guard before insert on expenses when unit_is_open() = 0 begin select raise(abort, 'rows of expenses change through commit only'); end;
create trigger expenses_update_guard before update on expenses when unit_is_open() = 0 begin select raise(abort, 'rows of expenses change through commit only'); end;
create trigger expenses_delete_guard before delete on expenses when unit_is_open() = 0 begin select raise(abort, 'rows of expenses change through commit only'); end;
create trigger farm_science_insert_guard before insert on farm_science when unit_is_open() = 0 begin select raise(abort, 'rows of farm_science change through commit only'); end;
create trigger farm_science_update_guard before update on farm_science when unit_is_open() = 0 begin select raise(abort, 'rows of farm_science change through commit only'); end;
create trigger farm_science_delete_guard before delete on farm_science when unit_is_open() = 0 begin select raise(abort, 'rows of farm_science change through commit only'); end;
