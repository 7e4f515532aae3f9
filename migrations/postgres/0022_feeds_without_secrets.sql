-- Feeds told gateways what people sign in with, where they live and what they pay. What a gateway has not fetched yet goes, and
-- it starts anew from a snapshot; the last row of a feed stays for its number and chain, without what it said.
update sync_stream set floor_seq = core_seq where stream_id <> 1;
delete from sync_change using sync_stream
where sync_change.stream_id = sync_stream.stream_id and sync_change.stream_id <> 1 and sync_change.lane = 'core'
  and sync_change.seq < sync_stream.core_seq;
update sync_change set base_json = null, body_json = null, over_json = null where stream_id <> 1 and lane = 'core';
