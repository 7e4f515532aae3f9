-- A control point may be a siren: never part of aeration, driven by critical alerts alone.
alter table control_points add column is_siren INTEGER not null default 0;

-- How the sirens of a farm sound; id is the farm's.
create table siren_settings (
  id TEXT primary key,
  sound_minutes INTEGER not null,
  pause_minutes INTEGER not null,
  updated_at TEXT not null
) strict, without rowid;
