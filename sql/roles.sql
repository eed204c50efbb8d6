-- Creates the three roles. The connecting user runs it before the first migration. Roles belong to the whole server, so
-- a migration of another of its databases may already have created them.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['airseries_owner', 'airseries_ingest', 'airseries_reader'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      execute format('create role %I nologin', wanted);
    end if;
    -- since PostgreSQL 16, creating a role gives the right to administer it, but not the right to become it
    if not pg_has_role(current_user, wanted,
      case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
    then
      execute format('grant %I to current_user', wanted);
    end if;
  end loop;
  execute format('grant create, temporary on database %I to airseries_owner', current_database());
end $$;
