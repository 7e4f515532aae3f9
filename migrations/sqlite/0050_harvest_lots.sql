-- Lots of harvests: what went to one buyer in one load.
create table harvest_lots (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  batch_id TEXT not null references batches (id) deferrable initially deferred,
  harvest_id TEXT references harvests (id) deferrable initially deferred,
  pond_id TEXT references ponds (id) deferrable initially deferred,
  lot_code TEXT not null,
  harvested_at TEXT not null,
  weight_kg REAL not null,
  count INTEGER,
  average_weight_g REAL,
  classes TEXT not null,
  buyer TEXT,
  buyer_tax_id TEXT,
  transport_document TEXT,
  vehicle TEXT,
  driver TEXT,
  loading_temperature_c REAL,
  notes TEXT,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index harvest_lots_code_unique on harvest_lots (farm_id, lot_code) where hidden = 0;
create index harvest_lots_batch on harvest_lots (batch_id, harvested_at, id);
create index harvest_lots_harvest on harvest_lots (harvest_id) where harvest_id is not null;
create trigger harvest_lots_insert_guard before insert on harvest_lots when unit_is_open() = 0 begin select raise(abort, 'rows of harvest_lots change through commit only'); end;
create trigger harvest_lots_update_guard before update on harvest_lots when unit_is_open() = 0 begin select raise(abort, 'rows of harvest_lots change through commit only'); end;
create trigger harvest_lots_delete_guard before delete on harvest_lots when unit_is_open() = 0 begin select raise(abort, 'rows of harvest_lots change through commit only'); end;
