-- What people of a farm have set themselves to do, and the days on which it was done.
create table tasks (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  pond_id TEXT references ponds (id) deferrable initially deferred,
  text TEXT not null,
  notes TEXT,
  items TEXT not null,
  repeat TEXT not null,
  every_days INTEGER,
  days_of_week TEXT,
  first_day TEXT not null,
  ended_on TEXT,
  remind_at TEXT,
  assignee_id TEXT,
  created_by TEXT,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index tasks_farm on tasks (farm_id, hidden, created_at, id);
create index tasks_pond on tasks (pond_id) where pond_id is not null;
create index tasks_reminded on tasks (remind_at) where remind_at is not null and hidden = 0;
create trigger tasks_insert_guard before insert on tasks when unit_is_open() = 0 begin select raise(abort, 'rows of tasks change through commit only'); end;
create trigger tasks_update_guard before update on tasks when unit_is_open() = 0 begin select raise(abort, 'rows of tasks change through commit only'); end;
create trigger tasks_delete_guard before delete on tasks when unit_is_open() = 0 begin select raise(abort, 'rows of tasks change through commit only'); end;
create table task_marks (
  id TEXT primary key,
  farm_id TEXT not null references farms (id) deferrable initially deferred,
  task_id TEXT not null references tasks (id) deferrable initially deferred,
  due_on TEXT not null,
  state TEXT not null,
  done_at TEXT not null,
  done_by TEXT,
  note TEXT,
  ticked TEXT not null,
  clock_quality TEXT not null,
  created_at TEXT not null,
  updated_at TEXT,
  rev INTEGER not null,
  hidden INTEGER not null
) strict, without rowid;
create index task_marks_farm on task_marks (farm_id, hidden, done_at, id);
create index task_marks_task on task_marks (task_id, due_on);
create trigger task_marks_insert_guard before insert on task_marks when unit_is_open() = 0 begin select raise(abort, 'rows of task_marks change through commit only'); end;
create trigger task_marks_update_guard before update on task_marks when unit_is_open() = 0 begin select raise(abort, 'rows of task_marks change through commit only'); end;
create trigger task_marks_delete_guard before delete on task_marks when unit_is_open() = 0 begin select raise(abort, 'rows of task_marks change through commit only'); end;
