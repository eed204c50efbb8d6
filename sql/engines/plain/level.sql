-- Plain PostgreSQL keeps an aggregate as a table, and a function that computes a range of its buckets anew.
create table rollup.{{level}} as {{body}} with no data;
create index on rollup.{{level}} (bucket); -- for refreshing
alter table rollup.{{level}} add primary key ({{keys}}, bucket); -- for asking

create function rollup.fill_{{level}}(timestamptz, timestamptz) returns void language sql as $fill$
  delete from rollup.{{level}} where bucket >= $1 and bucket < $2;
  insert into rollup.{{level}} {{ranged body}};
$fill$ set search_path = rollup, pg_catalog set plan_cache_mode = force_custom_plan; -- an hour and two years want different plans
