-- Gateway: control points that a relay of the trade switches (Tasmota, Shelly), and what their meters counted.
create table relays (
  id TEXT primary key,
  kind TEXT not null,
  channel INTEGER not null,
  carrier_id TEXT not null,
  load TEXT not null,
  mac TEXT,
  model TEXT,
  adopted_by TEXT,
  created_at TEXT not null
) strict, without rowid;

-- rewritten every few minutes: numbers alone, in a table with row numbers
create table relay_meters (
  id TEXT primary key,
  counted_wh REAL not null,
  epoch INTEGER not null,
  raw_wh REAL not null,
  raw_at_ms INTEGER not null,
  raw_since TEXT,
  refused INTEGER not null
) strict;
