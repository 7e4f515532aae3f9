-- Signs of disease and laboratory results among the records of a farm; null: nothing was said.
alter table farm_records add column signs TEXT;
alter table farm_records add column affected_percent REAL;
alter table farm_records add column severity TEXT;
alter table farm_records add column disease TEXT;
alter table farm_records add column disease_name TEXT;
alter table farm_records add column sample TEXT;
alter table farm_records add column method TEXT;
alter table farm_records add column result TEXT;
alter table farm_records add column result_on TEXT;
alter table farm_records add column report_number TEXT;
