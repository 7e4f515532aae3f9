-- What a gateway remembers of devices that are not, or no longer, controllers of a control point: ignored ones, replaced
-- ones, and which board a control point was last given. id is `name:<device_id>` or `mac:<12 hex digits>`.
create table device_marks (
  id TEXT COLLATE "C" primary key,
  mark TEXT COLLATE "C" not null,
  control_point_id TEXT COLLATE "C",
  device_id TEXT COLLATE "C",
  marked_at TEXT COLLATE "C" not null,
  marked_by TEXT COLLATE "C"
);
create index device_marks_mark on device_marks (mark, marked_at);
