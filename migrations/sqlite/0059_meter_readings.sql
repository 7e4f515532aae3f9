-- Readings of electricity meters among the records of a farm; null: nothing was said.
alter table farm_records add column meter TEXT;
alter table farm_records add column meter_factor REAL;
alter table farm_records add column meter_change TEXT;
