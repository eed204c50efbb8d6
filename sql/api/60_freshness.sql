-- When the aggregates were last brought up to date. Null before the first time: there is nothing to answer with yet.
create view api.freshness as
  select refreshed_at from rollup.freshness;
