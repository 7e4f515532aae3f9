-- What the people of a farm arranged for their screens: where ponds stand on the wall, what to do about an alarm.
create table farm_console (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  wall TEXT COLLATE "C" not null,
  alarm_responses TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create unique index farm_console_farm_unique on farm_console (farm_id) where hidden = 0;
create trigger farm_console_guard before insert or update or delete on farm_console for each statement execute function refuse_outside_unit();

-- The history of a pond asks which batches left it.
create index transfers_source on transfers (source_pond_id, batch_id);
