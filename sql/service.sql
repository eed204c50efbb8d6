-- The login of migrations, the worker and commands. It is no superuser, but owns the database. Run it with psql as a
-- superuser, before the first migration or at any time after. Run it again to change the password, which comes from the
-- environment. The password appears neither in the output of psql nor in the server's log, not even in an error.
\set VERBOSITY terse
\getenv password SERVICE_PASSWORD
set client_min_messages = 'warning';
set log_statement = 'none';
set log_min_duration_statement = -1;
set log_min_error_statement = 'panic';
set log_error_verbosity = 'terse';
select set_config('airseries.password', :'password', false) \g /dev/null
do $$
begin
  if current_setting('airseries.password') = '' then
    raise exception 'SERVICE_PASSWORD is empty';
  end if;
  if not exists (select from pg_roles where rolname = 'airseries_service') then
    create role airseries_service login createrole;
  end if;
  execute format('alter role airseries_service password %L', current_setting('airseries.password'));
  execute format('alter database %I owner to airseries_service', current_database());
  -- a superuser's migrations made these roles; otherwise the service makes them itself
  if exists (select from pg_roles where rolname = 'airseries_owner') then
    grant airseries_owner, airseries_ingest, airseries_reader to airseries_service with admin option;
  end if;
end $$;
