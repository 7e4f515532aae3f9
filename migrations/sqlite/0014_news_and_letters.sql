-- News that came from the other instance and are still to be told to the channels of this one; id is the notification's.
create table arrived_news (
  id TEXT primary key,
  arrived_at TEXT not null
) strict, without rowid;

-- Invitations that are still to be sent by e-mail, address and code sealed; id is the invitation's.
create table invitation_letters (
  id TEXT primary key,
  sealed TEXT not null,
  language TEXT not null,
  attempts INTEGER not null,
  next_at TEXT not null,
  created_at TEXT not null
) strict, without rowid;
