-- A lost account that another gateway told of before: the memberships that this gateway knows of it are asked about, too.
alter table lost_people add column told_before INTEGER not null default 0;
