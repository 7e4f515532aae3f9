-- Feed of a farm: deliveries, and what was counted.
create table feed_stock (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  kind TEXT not null,
  happened_at TEXT not null,
  product TEXT not null,
  lot TEXT,
  quantity_kg REAL not null,
  bags REAL,
  bag_kg REAL,
  protein_percent REAL,
  pellet_mm REAL,
  price_per_kg REAL,
  supplier TEXT,
  expires_on TEXT,
  notes TEXT,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index feed_stock_farm on feed_stock (farm_id, hidden, happened_at, id);
create trigger feed_stock_insert_guard before insert on feed_stock when unit_is_open() = 0 begin select raise(abort, 'rows of feed_stock change through commit only'); end;
create trigger feed_stock_update_guard before update on feed_stock when unit_is_open() = 0 begin select raise(abort, 'rows of feed_stock change through commit only'); end;
create trigger feed_stock_delete_guard before delete on feed_stock when unit_is_open() = 0 begin select raise(abort, 'rows of feed_stock change through commit only'); end;
