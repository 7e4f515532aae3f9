-- Lots of harvests: what went to one buyer in one load.
create table harvest_lots (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  batch_id TEXT COLLATE "C" not null references batches (id) deferrable initially deferred,
  harvest_id TEXT COLLATE "C" references harvests (id) deferrable initially deferred,
  pond_id TEXT COLLATE "C" references ponds (id) deferrable initially deferred,
  lot_code TEXT COLLATE "C" not null,
  harvested_at TEXT COLLATE "C" not null,
  weight_kg DOUBLE PRECISION not null,
  count BIGINT,
  average_weight_g DOUBLE PRECISION,
  classes TEXT COLLATE "C" not null,
  buyer TEXT COLLATE "C",
  buyer_tax_id TEXT COLLATE "C",
  transport_document TEXT COLLATE "C",
  vehicle TEXT COLLATE "C",
  driver TEXT COLLATE "C",
  loading_temperature_c DOUBLE PRECISION,
  notes TEXT COLLATE "C",
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index harvest_lots_code_unique on harvest_lots (farm_id, lot_code) where hidden = 0;
create index harvest_lots_batch on harvest_lots (batch_id, harvested_at, id);
create index harvest_lots_harvest on harvest_lots (harvest_id) where harvest_id is not null;
create trigger harvest_lots_guard before insert or update or delete on harvest_lots for each statement execute function refuse_outside_unit();
