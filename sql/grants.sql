-- airseries_reader may read everything in schema api, and nothing else.
revoke all on schema api from public;
grant usage on schema api to airseries_reader;
grant select on all tables in schema api to airseries_reader;

-- Only the owner may call procedures.
revoke all on all procedures in schema logic, rollup from public;
