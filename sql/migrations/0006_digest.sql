-- What a region's current values were at an instant (C4), unrounded. A record, not an aggregate: made every five minutes, never recomputed.
create table rollup.digest (
  made_at timestamptz not null,
  region_slug text not null references raw.region,
  station_count int not null,
  {{each mean: $name float8}},
  wind_sin float8,
  wind_cos float8,
  rain float8,
  primary key (region_slug, made_at)
);
create index on rollup.digest (made_at);
