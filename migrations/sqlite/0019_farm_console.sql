-- What the people of a farm arranged for their screens: where ponds stand on the wall, what to do about an alarm.
create table farm_console (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  wall TEXT not null,
  alarm_responses TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create unique index farm_console_farm_unique on farm_console (farm_id) where hidden = 0;
create trigger farm_console_insert_guard before insert on farm_console when unit_is_open() = 0 begin select raise(abort, 'rows of farm_console change through commit only'); end;
create trigger farm_console_update_guard before update on farm_console when unit_is_open() = 0 begin select raise(abort, 'rows of farm_console change through commit only'); end;
create trigger farm_console_delete_guard before delete on farm_console when unit_is_open() = 0 begin select raise(abort, 'rows of farm_console change through commit only'); end;

-- The history of a pond asks which batches left it.
create index transfers_source on transfers (source_pond_id, batch_id);
