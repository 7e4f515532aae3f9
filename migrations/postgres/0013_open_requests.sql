-- Requests of a user that are being answered, shared by all processes: {"holder": until, ms}. What a crash loses of them is
-- of no matter.
create unlogged table open_requests (
  user_id TEXT COLLATE "C" primary key,
  places JSONB not null
);
