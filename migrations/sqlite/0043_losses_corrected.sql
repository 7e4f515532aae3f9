-- The loss whose place a row takes: the newest such row counts, and one with no animals says that nobody died. The share of the
-- animals of the pond, where a loss there was told so; null: it was counted, or is of the whole batch.
alter table survival_changes add column corrects TEXT;
alter table survival_changes add column pond_share REAL;
