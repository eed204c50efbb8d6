-- Plain PostgreSQL: an aggregate is a table.
create table {{rollup}}.{{level}} as {{body}} with no data;
alter table {{rollup}}.{{level}} add primary key ({{id}}, bucket);
create index on {{rollup}}.{{level}} (bucket);
