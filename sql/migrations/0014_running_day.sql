-- The running day and the running month may lag ten minutes (S4): since when something in them waits, and when they were last brought up to date.
alter table rollup.freshness add column running_since timestamptz, add column running_refreshed_at timestamptz;
