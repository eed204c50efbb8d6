-- Sources of the network file: by name, how to read what somebody sends. The core stores a declaration unread.

create table raw.source (
  name text primary key,
  declaration jsonb not null
);

grant select on raw.source to airseries_ingest;
