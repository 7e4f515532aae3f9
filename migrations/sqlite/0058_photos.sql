-- Pictures of ponds, batches, control points and losses. The row says what is to be seen and which bytes it is; the bytes lie in
-- files named by hash and farm, and stored_images says which of them are here.
create table photos (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  pond_id TEXT references ponds (id) deferrable initially deferred,
  batch_id TEXT references batches (id) deferrable initially deferred,
  control_point_id TEXT references control_points (id) deferrable initially deferred,
  loss_id TEXT references survival_changes (id) deferrable initially deferred,
  taken_at TEXT not null,
  note TEXT,
  sha256 TEXT not null,
  bytes INTEGER not null,
  width INTEGER not null,
  height INTEGER not null,
  type TEXT not null,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index photos_farm on photos (farm_id, hidden, taken_at, id);
create index photos_pond on photos (pond_id, taken_at) where pond_id is not null;
create index photos_batch on photos (batch_id, taken_at) where batch_id is not null;
create index photos_point on photos (control_point_id, taken_at) where control_point_id is not null;
create index photos_loss on photos (loss_id) where loss_id is not null;
create index photos_sha256 on photos (sha256);
create trigger photos_insert_guard before insert on photos when unit_is_open() = 0 begin select raise(abort, 'rows of photos change through commit only'); end;
create trigger photos_update_guard before update on photos when unit_is_open() = 0 begin select raise(abort, 'rows of photos change through commit only'); end;
create trigger photos_delete_guard before delete on photos when unit_is_open() = 0 begin select raise(abort, 'rows of photos change through commit only'); end;
create table stored_images (
  id TEXT primary key,
  bytes INTEGER not null,
  stored_at TEXT not null,
  synced_at TEXT
) strict, without rowid;
create index stored_images_synced on stored_images (synced_at, stored_at);
