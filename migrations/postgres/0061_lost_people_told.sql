-- A gateway is told once that the person of a lost account is on none of its farms, not with each of its comparisons.
alter table lost_people add column left_told BIGINT not null default 0;
