-- How much of each provider is in quarantine, so that what is too much is known before it is written.
create table raw.quarantine_load (
  provider_id text primary key, -- '' is what was imported by hand
  bytes bigint not null default 0, -- as logic.quarantine_bytes counts them; what was deleted since the last trimming included
  left_out bigint not null default 0 -- lines that found no room since then
);
insert into raw.quarantine_load (provider_id, bytes)
select coalesce(provider_id, ''), sum(octet_length(text) + 512) from raw.quarantine group by 1;

grant select, insert, update on raw.quarantine_load to airseries_ingest;
