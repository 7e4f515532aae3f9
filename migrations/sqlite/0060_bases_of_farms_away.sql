-- Hosted: what the last edit of a farm without a gateway was made over, of farms that were taken off one.
create table sync_bases (
  entity INTEGER not null,
  id TEXT not null,
  field_group TEXT not null,
  hlc TEXT not null,
  base_hlc TEXT not null,
  farm_id TEXT not null,
  primary key (id, entity, field_group)
) strict;
