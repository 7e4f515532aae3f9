-- Both sides are compared by when rows came: without this, each day all readings that a farm ever took are looked through.
-- By the day alone, which many rows share, it takes a tenth of the room that it would take by the moment.
create index measurements_day on measurements (pond_id, left(created_at, 10));
