-- The pond animals died in, and how many animals or kg were counted; null: in all ponds alike, as a share.
alter table survival_changes add column pond_id TEXT references ponds (id) deferrable initially deferred;
alter table survival_changes add column animals INTEGER;
alter table survival_changes add column weight_kg REAL;
-- The pond a sample was taken in; null: it stands for the whole batch.
alter table biometries add column pond_id TEXT references ponds (id) deferrable initially deferred;
create index biometries_by_pond on biometries (batch_id, hidden, measurement_date, id) where pond_id is not null;
create index biometries_of_all on biometries (batch_id, hidden, measurement_date, id) where pond_id is null;
