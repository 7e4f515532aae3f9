-- Files that were imported here: who brought what and how far it came, the rows that each commit of it made, so that the whole
-- can be undone for a week, and how sheets with known headings are read on a farm.
create table imports (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null,
  kind TEXT COLLATE "C" not null,
  file_name TEXT COLLATE "C",
  sheet TEXT COLLATE "C",
  state TEXT COLLATE "C" not null,
  rows_total BIGINT not null,
  rows_done BIGINT not null,
  imported BIGINT not null,
  undone BIGINT not null,
  kept BIGINT not null,
  fault_code TEXT COLLATE "C",
  fault TEXT COLLATE "C",
  batch_codes TEXT COLLATE "C" not null,
  created_by TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  touched_at TEXT COLLATE "C" not null,
  ended_at TEXT COLLATE "C",
  cancel_asked_at TEXT COLLATE "C",
  undone_by TEXT COLLATE "C",
  undone_at TEXT COLLATE "C"
);
create index imports_farm on imports (farm_id, created_at);
create index imports_created on imports (created_at);
create table import_chunks (
  id TEXT COLLATE "C" primary key,
  import_id TEXT COLLATE "C" not null,
  row_ids TEXT COLLATE "C" not null,
  is_undone BIGINT not null
);
create index import_chunks_import on import_chunks (import_id, is_undone, id);
create table import_layouts (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null,
  columns TEXT COLLATE "C",
  decimal_mark TEXT COLLATE "C",
  date_order TEXT COLLATE "C",
  used_at TEXT COLLATE "C" not null
);
create index import_layouts_farm on import_layouts (farm_id, used_at);
