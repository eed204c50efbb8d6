-- Plain PostgreSQL keeps an aggregate as a table, and a function that computes a range of its buckets anew.
create table rollup.{{level}} as {{body}} with no data;
alter table rollup.{{level}} add primary key ({{key}}); -- as it is asked: for one place, or for a range of buckets
{{bucket index}}

create function rollup.fill_{{level}}(timestamptz, timestamptz) returns void language sql as $fill$
  delete from rollup.{{level}} where bucket >= $1 and bucket < $2;
  insert into rollup.{{level}} {{ranged body}};
$fill$ set search_path = rollup, pg_catalog set plan_cache_mode = force_custom_plan; -- an hour and two years want different plans
