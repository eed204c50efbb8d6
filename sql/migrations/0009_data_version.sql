-- A number that grows whenever published data may have changed; logic.raise_data_version says how.
alter table rollup.freshness add column data_version int not null default 1;
