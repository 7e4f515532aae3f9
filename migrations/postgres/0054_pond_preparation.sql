-- Preparation of a pond between two cycles among the records of a farm; null: nothing was said.
alter table farm_records add column step TEXT COLLATE "C";
alter table farm_records add column ended_on TEXT COLLATE "C";
