-- The schema of the program that last tried a change kept aside: one that knows more tries it once more. Programs before this
-- said 1, whatever they knew.
alter table sync_parked add column tried_schema BIGINT not null default 1;
