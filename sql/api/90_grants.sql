-- Who may read api may read all of it, and nothing else.
revoke all on schema api from public;
grant usage on schema api to airseries_reader;
grant select on all tables in schema api to airseries_reader;

-- Procedures are the owner's.
revoke all on all procedures in schema logic, rollup from public;
