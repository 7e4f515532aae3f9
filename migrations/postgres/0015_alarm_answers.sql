-- What the person who acknowledged an alarm found or did.
alter table alerts add column acknowledge_note TEXT COLLATE "C";

-- Alarms that ended by themselves within a day: whether somebody answered them is asked by every new viewer.
create index alerts_returned on alerts (farm_id, resolved_at) where status = 'RESOLVED' and resolved_by is null;
