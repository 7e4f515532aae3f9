-- Feeding trays, tray by tray, among the records of a farm; null: nothing was said.
alter table farm_records add column trays TEXT COLLATE "C";
alter table farm_records add column feeding_id TEXT COLLATE "C";
