-- Presence is rewritten every 30 s for as long as the card lives. A number takes less room than text, and a table with
-- row numbers fills its pages where one without leaves a third of them empty: three pages a time instead of five.
create table presence_narrow (
  id TEXT primary key,
  heard_at_ms INTEGER not null,
  consumption REAL not null
) strict;
insert into presence_narrow (id, heard_at_ms, consumption)
  select id, cast(round(unixepoch(last_heartbeat, 'subsec') * 1000) as integer), consumption from presence order by id;
drop table presence;
alter table presence_narrow rename to presence;
