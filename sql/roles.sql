-- The three roles of the floor plan. Run by the connecting user before the first migration; roles belong to the whole server,
-- so another database of it may have made them already.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['airseries_owner', 'airseries_ingest', 'airseries_reader'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      execute format('create role %I nologin', wanted);
    end if;
    -- from 16 on, whoever makes a role may administer it but not become it, unless it is granted
    if not pg_has_role(current_user, wanted, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end) then
      execute format('grant %I to current_user', wanted);
    end if;
  end loop;
  execute format('grant create, temporary on database %I to airseries_owner', current_database());
end $$;
