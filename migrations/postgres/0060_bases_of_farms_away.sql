-- Hosted: what the last edit of a farm without a gateway was made over, of farms that were taken off one.
create table sync_bases (
  entity BIGINT not null,
  id TEXT COLLATE "C" not null,
  field_group TEXT COLLATE "C" not null,
  hlc TEXT COLLATE "C" not null,
  base_hlc TEXT COLLATE "C" not null,
  farm_id TEXT COLLATE "C" not null,
  primary key (id, entity, field_group)
);
