-- Presence is rewritten every 30 s: a number takes less room than text.
alter table presence add column heard_at_ms BIGINT;
update presence set heard_at_ms = round(extract(epoch from last_heartbeat::timestamptz) * 1000);
alter table presence alter column heard_at_ms set not null;
alter table presence drop column last_heartbeat;
