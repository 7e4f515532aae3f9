-- Both sides are compared by the days on which rows came: without this, each day all readings that a farm ever took are looked through.
create index measurements_compared on measurements (pond_id, created_at);
