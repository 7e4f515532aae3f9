-- Marks are written in the order of time and forgotten by age: their blocks are found without a walk through all of them.
create index sync_marks_age on sync_marks using brin (marked_at) with (pages_per_range = 32, autosummarize = on);
