-- Logins that may read schema api and nothing else: grafana and, if API_PASSWORD is set, airseries_api for the API
-- (READER_DATABASE_URL). Run it with psql as the service's user. Run it again to change a password. Passwords come from
-- the environment. They appear neither in the output of psql nor in the server's log, not even in an error. One
-- exception: a user that is no superuser cannot stop a server that logs every statement from logging them.
\set VERBOSITY terse
\getenv password READER_PASSWORD
\set api_password ''
\getenv api_password API_PASSWORD
set client_min_messages = 'warning';
select set_config(name, value, false)
from (values ('log_statement', 'none'), ('log_min_duration_statement', '-1'), ('log_min_error_statement', 'panic'),
  ('log_error_verbosity', 'terse'))
  as setting(name, value)
where has_parameter_privilege(name, 'set') \g /dev/null
select set_config('airseries.password', :'password', false),
  set_config('airseries.api_password', :'api_password', false) \g /dev/null
do $$
declare
  login record;
begin
  if current_setting('airseries.password') = '' then
    raise exception 'READER_PASSWORD is empty';
  end if;
  for login in
    select name, password
    from (values ('grafana', current_setting('airseries.password')),
      ('airseries_api', current_setting('airseries.api_password'))) as l(name, password)
    where password <> ''
  loop
    if not exists (select from pg_roles where rolname = login.name) then
      execute format('create role %I login', login.name);
    end if;
    execute format('alter role %I password %L', login.name, login.password);
    execute format('grant airseries_reader to %I', login.name);
    execute format('grant connect on database %I to %I', current_database(), login.name);
    execute format('alter role %I set default_transaction_read_only = on', login.name);
    -- compiling the statements of dashboards takes longer than running them
    execute format('alter role %I set jit = off', login.name);
    if login.name = 'airseries_api' then -- a process sends these itself, unless a pooler is in between
      alter role airseries_api set search_path = rollup, public;
      alter role airseries_api set plan_cache_mode = force_custom_plan;
      alter role airseries_api set client_connection_check_interval = '2s';
      alter role airseries_api set statement_timeout = '20s';
    end if;
  end loop;
end $$;
-- By default every login of PostgreSQL may connect to any database, make temporary tables and large objects, take
-- enough locks to leave none for others, write records into the log that replicas and backups read, and add background
-- jobs of TimescaleDB. These logins need none of that. The functions belong to the server, so only a superuser can
-- revoke them.
do $$
declare
  needless record;
  is_superuser constant boolean := (select rolsuper from pg_roles where rolname = current_user);
begin
  execute format('grant connect, temporary on database %I to airseries_owner, airseries_ingest, %I',
    current_database(), current_user);
  execute format('revoke connect, temporary on database %I from public', current_database());
  for needless in
    select oid::regprocedure as routine from pg_proc
    where is_superuser and (
      proname ~ '^pg_(try_)?advisory_'
      or proname in ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message', 'add_job'))
  loop
    execute format('revoke execute on function %s from public', needless.routine);
    execute format('grant execute on function %s to airseries_owner, airseries_ingest', needless.routine);
  end loop;
  if is_superuser then
    alter role grafana set temp_file_limit = '2GB'; -- for sorts on disk; the login itself can change its other settings
  else
    raise warning '% is no superuser, so logins can still create large objects and background jobs, '
      'and exhaust the locks: see src/http/README.md, Security', current_user;
  end if;
end $$;
alter role grafana connection limit 30; -- as many as three data sources open at most
-- Dashboards query a few years at most, so a longer statement is a mistake. An open transaction would block the next
-- migration.
alter role grafana set statement_timeout = '30s';
alter role grafana set idle_in_transaction_session_timeout = '30s';
