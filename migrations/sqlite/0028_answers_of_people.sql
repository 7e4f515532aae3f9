-- Whose a stored answer is: it goes with the account. Those of before go within a day, as all of them do.
alter table idempotent_answers add column user_id TEXT;
create index idempotent_answers_user on idempotent_answers (user_id);
