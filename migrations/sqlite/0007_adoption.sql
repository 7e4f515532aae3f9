-- What a gateway remembers of devices that are not, or no longer, controllers of a control point: ignored ones, replaced
-- ones, and which board a control point was last given. id is `name:<device_id>` or `mac:<12 hex digits>`.
create table device_marks (
  id TEXT primary key,
  mark TEXT not null,
  control_point_id TEXT,
  device_id TEXT,
  marked_at TEXT not null,
  marked_by TEXT
) strict, without rowid;
create index device_marks_mark on device_marks (mark, marked_at);
