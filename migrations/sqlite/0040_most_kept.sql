-- So many notes of changes that lost are kept of each stream; with every new one they are counted.
create index sync_conflicts_stream on sync_conflicts (stream_id, found_at);
