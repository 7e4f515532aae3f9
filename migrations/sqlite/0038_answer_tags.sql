-- The ETag that an answer kept for repeated requests had; null: none, or of before this was noted.
alter table idempotent_answers add column tag INTEGER;
