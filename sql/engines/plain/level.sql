-- Plain PostgreSQL: an aggregate is a table, with a function that recomputes a range of its buckets.
create table rollup.{{level}} as {{body}} with no data;
alter table rollup.{{level}} add primary key ({{id}}, bucket);
create index on rollup.{{level}} (bucket);

-- The table is created from the same select, so its columns are in the same order.
create function rollup.fill_{{level}}(timestamptz, timestamptz) returns void language sql as $fill$
  delete from rollup.{{level}} where bucket >= $1 and bucket < $2;
  insert into rollup.{{level}} {{ranged body}};
$fill$ set search_path = rollup, pg_catalog set plan_cache_mode = force_custom_plan; -- one hour and two years need different plans
