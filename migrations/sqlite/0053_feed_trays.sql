-- Feeding trays, tray by tray, among the records of a farm; null: nothing was said.
alter table farm_records add column trays TEXT;
alter table farm_records add column feeding_id TEXT;
