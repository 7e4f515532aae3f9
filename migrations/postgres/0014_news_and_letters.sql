-- News that came from the other instance and are still to be told to the channels of this one; id is the notification's.
create table arrived_news (
  id TEXT COLLATE "C" primary key,
  arrived_at TEXT COLLATE "C" not null
);

-- Invitations that are still to be sent by e-mail, address and code sealed; id is the invitation's.
create table invitation_letters (
  id TEXT COLLATE "C" primary key,
  sealed TEXT COLLATE "C" not null,
  language TEXT COLLATE "C" not null,
  attempts BIGINT not null,
  next_at TEXT COLLATE "C" not null,
  created_at TEXT COLLATE "C" not null
);
