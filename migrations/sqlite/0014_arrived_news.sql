-- News that came from the other instance and are still to be told to the channels of this one; id is the notification's.
create table arrived_news (
  id TEXT primary key,
  arrived_at TEXT not null
) strict, without rowid;
