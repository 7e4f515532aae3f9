-- Production, water and money. Instants are ISO 8601 UTC text with milliseconds, start_date is a local date.

-- Production cycles and what is recorded of them ----------------------------------------------------------------

create table batches (
  id TEXT COLLATE "C" primary key,
  numeric_id BIGINT not null,
  owner_id TEXT COLLATE "C" not null references users (id) deferrable initially deferred,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  pond_id TEXT COLLATE "C" not null references ponds (id) deferrable initially deferred,
  batch_code TEXT COLLATE "C" not null,
  species TEXT COLLATE "C" not null,
  lineage TEXT COLLATE "C" not null,
  larva_origin TEXT COLLATE "C" not null,
  start_date TEXT COLLATE "C" not null,
  expected_harvest_date TEXT COLLATE "C",
  actual_harvest_date TEXT COLLATE "C",
  initial_count BIGINT not null,
  initial_avg_weight DOUBLE PRECISION not null,
  initial_density DOUBLE PRECISION not null,
  estimated_survival_rate DOUBLE PRECISION not null,
  status TEXT COLLATE "C" not null,
  final_weight_kg DOUBLE PRECISION,
  end_reason TEXT COLLATE "C",
  notes TEXT COLLATE "C",
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index batches_code_unique on batches (owner_id, batch_code) where hidden = 0;
create index batches_farm on batches (farm_id, status, created_at, id);
create index batches_pond on batches (pond_id, status);

create table survival_changes (
  id TEXT COLLATE "C" primary key,
  batch_id TEXT COLLATE "C" not null references batches (id) deferrable initially deferred,
  kind TEXT COLLATE "C" not null,
  value DOUBLE PRECISION not null,
  changed_at TEXT COLLATE "C" not null,
  description TEXT COLLATE "C",
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  rev BIGINT not null,
  hidden BIGINT not null
);
create index survival_changes_batch on survival_changes (batch_id, changed_at, id);

create table harvests (
  id TEXT COLLATE "C" primary key,
  batch_id TEXT COLLATE "C" not null references batches (id) deferrable initially deferred,
  pond_id TEXT COLLATE "C" references ponds (id) deferrable initially deferred,
  harvest_date TEXT COLLATE "C" not null,
  quantity BIGINT not null,
  weight_kg DOUBLE PRECISION not null,
  price_per_kg DOUBLE PRECISION,
  notes TEXT COLLATE "C",
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index harvests_batch on harvests (batch_id, harvest_date, id);

create table biometries (
  id TEXT COLLATE "C" primary key,
  batch_id TEXT COLLATE "C" not null references batches (id) deferrable initially deferred,
  measurement_date TEXT COLLATE "C" not null,
  sample_size BIGINT not null,
  total_weight_g DOUBLE PRECISION not null,
  weight_sd_g DOUBLE PRECISION,
  individual_weights_g TEXT COLLATE "C",
  notes TEXT COLLATE "C",
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index biometries_batch on biometries (batch_id, hidden, measurement_date, id);

create table feeding_records (
  id TEXT COLLATE "C" primary key,
  batch_id TEXT COLLATE "C" not null references batches (id) deferrable initially deferred,
  pond_id TEXT COLLATE "C" references ponds (id) deferrable initially deferred,
  feed_type TEXT COLLATE "C" not null,
  quantity_kg DOUBLE PRECISION not null,
  cost_per_kg DOUBLE PRECISION not null,
  feed_date TEXT COLLATE "C" not null,
  tray_leftover_percent DOUBLE PRECISION,
  notes TEXT COLLATE "C",
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
-- Dashboards add up every feeding of every batch in production: the index alone answers them.
create index feeding_records_batch on feeding_records (batch_id, hidden, feed_date, quantity_kg, cost_per_kg, id);

create table measurements (
  id TEXT COLLATE "C" primary key,
  pond_id TEXT COLLATE "C" not null references ponds (id) deferrable initially deferred,
  measurement_date TEXT COLLATE "C" not null,
  temperature DOUBLE PRECISION,
  dissolved_oxygen DOUBLE PRECISION,
  ph DOUBLE PRECISION,
  salinity DOUBLE PRECISION,
  alkalinity DOUBLE PRECISION,
  ammonia DOUBLE PRECISION,
  nitrite DOUBLE PRECISION,
  nitrate DOUBLE PRECISION,
  transparency DOUBLE PRECISION,
  notes TEXT COLLATE "C",
  source TEXT COLLATE "C" not null,
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
-- Five years of a probe: statistics, trends and the newest value are read from the index alone.
create index measurements_pond on measurements (pond_id, hidden, measurement_date, id) include (temperature, dissolved_oxygen, ph, salinity, alkalinity,
  ammonia, nitrite, nitrate, transparency);

create table transfers (
  id TEXT COLLATE "C" primary key,
  numeric_id BIGINT not null,
  batch_id TEXT COLLATE "C" not null references batches (id) deferrable initially deferred,
  source_pond_id TEXT COLLATE "C" not null references ponds (id) deferrable initially deferred,
  destination_pond_id TEXT COLLATE "C" not null references ponds (id) deferrable initially deferred,
  quantity BIGINT not null,
  average_weight DOUBLE PRECISION,
  transfer_date TEXT COLLATE "C" not null,
  reason TEXT COLLATE "C",
  notes TEXT COLLATE "C",
  contested BIGINT not null,
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index transfers_batch on transfers (batch_id, transfer_date, id);
create index transfers_destination on transfers (destination_pond_id, batch_id);

create table expenses (
  id TEXT COLLATE "C" primary key,
  batch_id TEXT COLLATE "C" not null references batches (id) deferrable initially deferred,
  category TEXT COLLATE "C" not null,
  amount DOUBLE PRECISION not null,
  description TEXT COLLATE "C" not null,
  expense_date TEXT COLLATE "C" not null,
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index expenses_batch on expenses (batch_id, hidden, category, amount);
create index expenses_batch_date on expenses (batch_id, expense_date, id);

-- Alerts: when the people of an episode were last told, and how bad it was then ---------------------------------

alter table alerts add column told_at TEXT COLLATE "C";
alter table alerts add column told_severity TEXT COLLATE "C";
-- A new alert looks at the newest of its episode, and at the shelves of its alarm; neither may depend on how many there are.
drop index alerts_pond;
create index alerts_pond on alerts (pond_id, status, type, triggered_at, id);
drop index alerts_control_point;
create index alerts_control_point on alerts (control_point_id, status, type) where control_point_id is not null;
create index alerts_shelved on alerts (farm_id, type, shelved_until) where shelved_until is not null;
create index alerts_pond_time on alerts (pond_id, triggered_at, id, hidden, type, status, severity);

-- Figures of shrimp science that a farm has set for itself ------------------------------------------------------

create table farm_science (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  overrides TEXT COLLATE "C" not null,
  updated_by TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index farm_science_farm_unique on farm_science (farm_id) where hidden = 0;

-- Tripwires: nothing but a unit of work may change a synchronised table -----------------------------------------
create trigger batches_guard before insert or update or delete on batches for each statement execute function refuse_outside_unit();
create trigger survival_changes_guard before insert or update or delete on survival_changes for each statement execute function refuse_outside_unit();
create trigger harvests_guard before insert or update or delete on harvests for each statement execute function refuse_outside_unit();
create trigger biometries_guard before insert or update or delete on biometries for each statement execute function refuse_outside_unit();
create trigger feeding_records_guard before insert or update or delete on feeding_records for each statement execute function refuse_outside_unit();
create trigger measurements_guard before insert or update or delete on measurements for each statement execute function refuse_outside_unit();
create trigger transfers_guard before insert or update or delete on transfers for each statement execute function refuse_outside_unit();
create trigger expenses_guard before insert or update or delete on expenses for each statement execute function refuse_outside_unit();
create trigger farm_science_guard before insert or update or delete on farm_science for each statement execute function refuse_outside_unit();
