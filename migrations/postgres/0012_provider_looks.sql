-- When the provider is asked next how a subscription stands, whatever its events told; null: at the next occasion.
alter table provider_subscriptions add column look_at TEXT COLLATE "C";
