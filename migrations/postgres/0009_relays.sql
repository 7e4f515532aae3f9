-- Gateway: control points that a relay of the trade switches (Tasmota, Shelly), and what their meters counted.
create table relays (
  id TEXT COLLATE "C" primary key,
  kind TEXT COLLATE "C" not null,
  channel BIGINT not null,
  carrier_id TEXT COLLATE "C" not null,
  load TEXT COLLATE "C" not null,
  mac TEXT COLLATE "C",
  model TEXT COLLATE "C",
  adopted_by TEXT COLLATE "C",
  created_at TEXT COLLATE "C" not null
);

-- rewritten every few minutes: numbers alone, in a table with row numbers
create table relay_meters (
  id TEXT COLLATE "C" primary key,
  counted_wh DOUBLE PRECISION not null,
  epoch BIGINT not null,
  raw_wh DOUBLE PRECISION not null,
  raw_at_ms BIGINT not null,
  raw_since TEXT COLLATE "C",
  refused BIGINT not null
);
