-- The journal of a farm is read newest first, with or without its other entries, and counted: one index answers all.
drop index logs_farm;
create index logs_farm on logs (farm_id, timestamp, id, entity_type);

-- Control reads at start what people ordered last and what is still open, whatever years of orders lie below.
create index orders_manual on orders (control_point_id, version) where origin in ('LOCAL', 'REMOTE');
create index orders_open on orders (control_point_id, version) where state in ('SENT', 'ACKED');
