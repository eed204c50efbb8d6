-- What watching the service needs.

-- Every audit: which period was compared with the readings, and how many buckets differed. Kept for a year.
create table rollup.audit (
  made_at timestamptz primary key,
  since timestamptz not null,
  until timestamptz not null,
  differing int not null,
  first_differences jsonb not null
);

create index on raw.quarantine (reason) where kind = 'reading';
