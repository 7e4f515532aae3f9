-- Whether calls without a key are taken for this control point; null: by the rule.
alter table control_points add column allow_unkeyed INTEGER;

-- Control points whose key was used, and when that was first: it stays when the key or the control point goes. id is the
-- control point's.
create table first_key_uses (
  id TEXT primary key,
  farm_id TEXT not null,
  used_at TEXT not null
) strict, without rowid;
insert into first_key_uses (id, farm_id, used_at)
select control_points.id, control_points.farm_id, min(device_keys.activated_at)
from device_keys join control_points on control_points.id = device_keys.control_point_id
where device_keys.activated_at is not null and control_points.is_simulated = 0
group by control_points.id, control_points.farm_id;
