-- Files that were imported here: who brought what and how far it came, the rows that each commit of it made, so that the whole
-- can be undone for a week, and how sheets with known headings are read on a farm.
create table imports (
  id TEXT primary key,
  farm_id TEXT not null,
  kind TEXT not null,
  file_name TEXT,
  sheet TEXT,
  state TEXT not null,
  rows_total INTEGER not null,
  rows_done INTEGER not null,
  imported INTEGER not null,
  undone INTEGER not null,
  kept INTEGER not null,
  fault_code TEXT,
  fault TEXT,
  batch_codes TEXT not null,
  created_by TEXT not null,
  created_at TEXT not null,
  touched_at TEXT not null,
  ended_at TEXT,
  cancel_asked_at TEXT,
  undone_by TEXT,
  undone_at TEXT
) strict, without rowid;
create index imports_farm on imports (farm_id, created_at);
create index imports_created on imports (created_at);
create table import_chunks (
  id TEXT primary key,
  import_id TEXT not null,
  row_ids TEXT not null,
  is_undone INTEGER not null
) strict, without rowid;
create index import_chunks_import on import_chunks (import_id, is_undone, id);
create table import_layouts (
  id TEXT primary key,
  farm_id TEXT not null,
  columns TEXT,
  decimal_mark TEXT,
  date_order TEXT,
  used_at TEXT not null
) strict, without rowid;
create index import_layouts_farm on import_layouts (farm_id, used_at);
