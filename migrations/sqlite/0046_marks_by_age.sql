-- Marks are forgotten by age.
create index sync_marks_age on sync_marks (marked_at);
