-- An order whose gateway had the word that it still counts is under way, too.
drop index commands_due;
create index commands_due on commands (expires_at_ms) where state in ('pending', 'sent', 'confirming', 'accepted');
