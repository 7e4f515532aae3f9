-- Feed of a farm: deliveries, and what was counted.
create table feed_stock (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  kind TEXT COLLATE "C" not null,
  happened_at TEXT COLLATE "C" not null,
  product TEXT COLLATE "C" not null,
  lot TEXT COLLATE "C",
  quantity_kg DOUBLE PRECISION not null,
  bags DOUBLE PRECISION,
  bag_kg DOUBLE PRECISION,
  protein_percent DOUBLE PRECISION,
  pellet_mm DOUBLE PRECISION,
  price_per_kg DOUBLE PRECISION,
  supplier TEXT COLLATE "C",
  expires_on TEXT COLLATE "C",
  notes TEXT COLLATE "C",
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index feed_stock_farm on feed_stock (farm_id, hidden, happened_at, id);
create trigger feed_stock_guard before insert or update or delete on feed_stock for each statement execute function refuse_outside_unit();
