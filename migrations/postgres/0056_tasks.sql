-- What people of a farm have set themselves to do, and the days on which it was done.
create table tasks (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  pond_id TEXT COLLATE "C" references ponds (id) deferrable initially deferred,
  text TEXT COLLATE "C" not null,
  notes TEXT COLLATE "C",
  items TEXT COLLATE "C" not null,
  repeat TEXT COLLATE "C" not null,
  every_days BIGINT,
  days_of_week TEXT COLLATE "C",
  first_day TEXT COLLATE "C" not null,
  ended_on TEXT COLLATE "C",
  remind_at TEXT COLLATE "C",
  assignee_id TEXT COLLATE "C",
  created_by TEXT COLLATE "C",
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index tasks_farm on tasks (farm_id, hidden, created_at, id);
create index tasks_pond on tasks (pond_id) where pond_id is not null;
create index tasks_reminded on tasks (remind_at) where remind_at is not null and hidden = 0;
create trigger tasks_guard before insert or update or delete on tasks for each statement execute function refuse_outside_unit();
create table task_marks (
  id TEXT COLLATE "C" primary key,
  farm_id TEXT COLLATE "C" not null references farms (id) deferrable initially deferred,
  task_id TEXT COLLATE "C" not null references tasks (id) deferrable initially deferred,
  due_on TEXT COLLATE "C" not null,
  state TEXT COLLATE "C" not null,
  done_at TEXT COLLATE "C" not null,
  done_by TEXT COLLATE "C",
  note TEXT COLLATE "C",
  ticked TEXT COLLATE "C" not null,
  clock_quality TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null,
  updated_at TEXT COLLATE "C",
  rev BIGINT not null,
  hidden BIGINT not null
);
create index task_marks_farm on task_marks (farm_id, hidden, done_at, id);
create index task_marks_task on task_marks (task_id, due_on);
create trigger task_marks_guard before insert or update or delete on task_marks for each statement execute function refuse_outside_unit();
