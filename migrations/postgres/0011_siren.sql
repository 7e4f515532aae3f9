-- A control point may be a siren: never part of aeration, driven by critical alerts alone.
alter table control_points add column is_siren BIGINT not null default 0;

-- How the sirens of a farm sound; id is the farm's.
create table siren_settings (
  id TEXT COLLATE "C" primary key,
  sound_minutes BIGINT not null,
  pause_minutes BIGINT not null,
  updated_at TEXT COLLATE "C" not null
);
