-- Logins that may read schema api and nothing else: grafana and, if API_PASSWORD is set, airseries_api for the API (READER_DATABASE_URL).
-- Run it with psql as the service's user; run it again to change a password. Passwords come from the environment and appear neither in
-- the output of psql nor in the server's log, not even in an error.
\set VERBOSITY terse
\getenv password READER_PASSWORD
\set api_password ''
\getenv api_password API_PASSWORD
set client_min_messages = 'warning';
set log_statement = 'none';
set log_min_duration_statement = -1;
set log_min_error_statement = 'panic';
set log_error_verbosity = 'terse';
select set_config('airseries.password', :'password', false), set_config('airseries.api_password', :'api_password', false) \g /dev/null
do $$
declare
  login record;
begin
  if current_setting('airseries.password') = '' then
    raise exception 'READER_PASSWORD is empty';
  end if;
  for login in
    select name, password
    from (values ('grafana', current_setting('airseries.password')), ('airseries_api', current_setting('airseries.api_password'))) as l(name, password)
    where password <> ''
  loop
    if not exists (select from pg_roles where rolname = login.name) then
      execute format('create role %I login', login.name);
    end if;
    execute format('alter role %I password %L', login.name, login.password);
    execute format('grant airseries_reader to %I', login.name);
    execute format('alter role %I set default_transaction_read_only = on', login.name);
    execute format('alter role %I set jit = off', login.name); -- compiling the statements of dashboards takes longer than running them
  end loop;
end $$;
-- dashboards query a few years at most: a longer statement is a mistake, and an open transaction would block the next migration
alter role grafana set statement_timeout = '30s';
alter role grafana set idle_in_transaction_session_timeout = '30s';
