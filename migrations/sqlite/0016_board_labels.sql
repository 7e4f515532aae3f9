-- The label of the board that a control point has: its claim code is random, of that board alone, and can be printed
-- again. id is the control point's; a label counts as long as the control point has this device.
create table board_labels (
  id TEXT primary key,
  mac TEXT not null,
  device_id TEXT not null,
  claim TEXT not null,
  made_at TEXT not null
) strict, without rowid;
