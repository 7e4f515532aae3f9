-- Names of devices stand once among the farms of one gateway, or among those of one owner that have none, no longer in a whole
-- instance: which that are no index knows, so creates and merges see to it. The indexes find, and forbid nothing.
drop index control_points_device_id_unique;
drop index aerators_device_id_unique;
create index control_points_device_id on control_points (device_id);
create index aerators_device_id on aerators (device_id);
