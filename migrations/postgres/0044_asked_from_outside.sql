-- A lost account that another gateway told of before: the memberships that this gateway knows of it are asked about, too.
alter table lost_people add column told_before BIGINT not null default 0;

-- Where a pairing was started from, under the secret of the instance: of each place, and in all, the newest wait.
alter table pairings add column source TEXT COLLATE "C" not null default '';
create index pairings_waiting on pairings (source, expires_at) where state = 'waiting';
