-- Treatments, water exchanges and notes: of a pond, a batch or a control point.
create table farm_records (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  kind TEXT not null,
  pond_id TEXT references ponds (id) deferrable initially deferred,
  batch_id TEXT references batches (id) deferrable initially deferred,
  control_point_id TEXT references control_points (id) deferrable initially deferred,
  happened_at TEXT not null,
  text TEXT,
  product TEXT,
  product_kind TEXT,
  product_lot TEXT,
  amount REAL,
  unit TEXT,
  responsible TEXT,
  withdrawal_days INTEGER,
  source TEXT,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index farm_records_farm on farm_records (farm_id, happened_at, id);
create index farm_records_pond on farm_records (pond_id, happened_at, id) where pond_id is not null;
create index farm_records_batch on farm_records (batch_id, happened_at, id) where batch_id is not null;
create index farm_records_point on farm_records (control_point_id, happened_at, id) where control_point_id is not null;
create trigger farm_records_insert_guard before insert on farm_records when unit_is_open() = 0 begin select raise(abort, 'rows of farm_records change through commit only'); end;
create trigger farm_records_update_guard before update on farm_records when unit_is_open() = 0 begin select raise(abort, 'rows of farm_records change through commit only'); end;
create trigger farm_records_delete_guard before delete on farm_records when unit_is_open() = 0 begin select raise(abort, 'rows of farm_records change through commit only'); end;
