-- A control point of the simulator: no motor hangs on it, ever. Set when it is made, and never changed.
alter table control_points add column is_simulated BIGINT not null default 0;
