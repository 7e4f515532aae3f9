-- Signs of disease and laboratory results among the records of a farm; null: nothing was said.
alter table farm_records add column signs TEXT COLLATE "C";
alter table farm_records add column affected_percent DOUBLE PRECISION;
alter table farm_records add column severity TEXT COLLATE "C";
alter table farm_records add column disease TEXT COLLATE "C";
alter table farm_records add column disease_name TEXT COLLATE "C";
alter table farm_records add column sample TEXT COLLATE "C";
alter table farm_records add column method TEXT COLLATE "C";
alter table farm_records add column result TEXT COLLATE "C";
alter table farm_records add column result_on TEXT COLLATE "C";
alter table farm_records add column report_number TEXT COLLATE "C";
