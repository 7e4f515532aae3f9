-- Pictures of ponds, batches, control points and losses. The row says what is to be seen and which bytes it is; the bytes lie in
-- image_bytes under hash and farm, and stored_images says which of them are here.
create table photos (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  pond_id TEXT COLLATE "C" references ponds (id) deferrable initially deferred,
  batch_id TEXT COLLATE "C" references batches (id) deferrable initially deferred,
  control_point_id TEXT COLLATE "C" references control_points (id) deferrable initially deferred,
  loss_id TEXT COLLATE "C" references survival_changes (id) deferrable initially deferred,
  taken_at TEXT COLLATE "C" not null,
  note TEXT COLLATE "C",
  sha256 TEXT COLLATE "C" not null,
  bytes BIGINT not null,
  width BIGINT not null,
  height BIGINT not null,
  type TEXT COLLATE "C" not null,
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index photos_farm on photos (farm_id, hidden, taken_at, id);
create index photos_pond on photos (pond_id, taken_at) where pond_id is not null;
create index photos_batch on photos (batch_id, taken_at) where batch_id is not null;
create index photos_point on photos (control_point_id, taken_at) where control_point_id is not null;
create index photos_loss on photos (loss_id) where loss_id is not null;
create index photos_sha256 on photos (sha256);
create trigger photos_guard before insert or update or delete on photos for each statement execute function refuse_outside_unit();
create table stored_images (
  id TEXT COLLATE "C" primary key,
  bytes BIGINT not null,
  stored_at TEXT COLLATE "C" not null,
  synced_at TEXT COLLATE "C"
);
create index stored_images_synced on stored_images (synced_at, stored_at);
create table image_bytes (
  id TEXT COLLATE "C" primary key,
  bytes BYTEA not null,
  stored_at TEXT COLLATE "C" not null
);
