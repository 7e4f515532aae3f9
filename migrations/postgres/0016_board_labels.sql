-- The label of the board that a control point has: its claim code is random, of that board alone, and can be printed
-- again. id is the control point's; a label counts as long as the control point has this device.
create table board_labels (
  id TEXT COLLATE "C" primary key,
  mac TEXT COLLATE "C" not null,
  device_id TEXT COLLATE "C" not null,
  claim TEXT COLLATE "C" not null,
  made_at TEXT COLLATE "C" not null
);
