-- A login that may read schema api and nothing else, for Grafana. Run by psql as the service's user, any number of times: a changed
-- password is set. It comes from the environment, and neither psql nor the server's log shows it, not even in an error.
\set VERBOSITY terse
\getenv password READER_PASSWORD
set client_min_messages = 'warning';
set log_statement = 'none';
set log_min_duration_statement = -1;
set log_min_error_statement = 'panic';
set log_error_verbosity = 'terse';
select set_config('airseries.password', :'password', false) \g /dev/null
do $$
begin
  if current_setting('airseries.password') = '' then
    raise exception 'READER_PASSWORD is empty';
  end if;
  if not exists (select from pg_roles where rolname = 'grafana') then
    create role grafana login;
  end if;
  execute format('alter role grafana password %L', current_setting('airseries.password'));
end $$;
grant airseries_reader to grafana;
alter role grafana set default_transaction_read_only = on;
-- a dashboard asks for years at most; what takes longer is a mistake
alter role grafana set statement_timeout = '30s';
