-- Readings of electricity meters among the records of a farm; null: nothing was said.
alter table farm_records add column meter TEXT COLLATE "C";
alter table farm_records add column meter_factor DOUBLE PRECISION;
alter table farm_records add column meter_change TEXT COLLATE "C";
