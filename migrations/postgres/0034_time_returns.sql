-- Hosted: when stamps that a process with a wrong clock had drawn into the future were brought back, and how: those
-- between `limit_ms` and `newest_ms` moved into the hour before `returned_ms`, in their order. Kept, because a gateway
-- that comes back from an older image of its card still has them.
create table sync_time_returns (
  id TEXT COLLATE "C" primary key,
  limit_ms BIGINT not null,
  newest_ms BIGINT not null,
  returned_ms BIGINT not null
);
