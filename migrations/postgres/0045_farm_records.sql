-- Treatments, water exchanges and notes: of a pond, a batch or a control point.
create table farm_records (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  kind TEXT COLLATE "C" not null,
  pond_id TEXT COLLATE "C" references ponds (id) deferrable initially deferred,
  batch_id TEXT COLLATE "C" references batches (id) deferrable initially deferred,
  control_point_id TEXT COLLATE "C" references control_points (id) deferrable initially deferred,
  happened_at TEXT COLLATE "C" not null,
  text TEXT COLLATE "C",
  product TEXT COLLATE "C",
  product_kind TEXT COLLATE "C",
  product_lot TEXT COLLATE "C",
  amount DOUBLE PRECISION,
  unit TEXT COLLATE "C",
  responsible TEXT COLLATE "C",
  withdrawal_days BIGINT,
  source TEXT COLLATE "C",
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index farm_records_farm on farm_records (farm_id, happened_at, id);
create index farm_records_pond on farm_records (pond_id, happened_at, id) where pond_id is not null;
create index farm_records_batch on farm_records (batch_id, happened_at, id) where batch_id is not null;
create index farm_records_point on farm_records (control_point_id, happened_at, id) where control_point_id is not null;
create trigger farm_records_guard before insert or update or delete on farm_records for each statement execute function refuse_outside_unit();
