-- Until when a feed is left alone after failures, so that any process knows.

alter table raw.pull add column retry_at timestamptz; -- null: its interval decides
