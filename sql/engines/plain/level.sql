-- Plain PostgreSQL keeps an aggregate as a table, and a function that computes a range of its buckets again.
create table rollup.{{level}} as {{body}} with no data;
alter table rollup.{{level}} add primary key ({{id}}, bucket);
create index on rollup.{{level}} (bucket);

-- The table is made from the same text, so its columns are those of the select, in their order.
create function rollup.fill_{{level}}(timestamptz, timestamptz) returns void language sql as $fill$
  delete from rollup.{{level}} where bucket >= $1 and bucket < $2;
  insert into rollup.{{level}} {{ranged body}};
$fill$ set search_path = rollup, pg_catalog set plan_cache_mode = force_custom_plan; -- an hour and two years want different plans
