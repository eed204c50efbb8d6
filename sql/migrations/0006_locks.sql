-- Locks that nobody but we can take. PostgreSQL lets every login take every advisory lock, one that may only read included, so none of
-- ours may rest on a key alone.

-- Those of a transaction are locks of tables that are for ever empty. Writers of readings share the first, each with row exclusive,
-- which costs them nothing; who moves the ingest cutoff takes it for himself.
create table raw.ingest_lock (check (false));
create table raw.network_lock (check (false));
create table raw.screen_lock (check (false));
grant insert on raw.ingest_lock to airseries_ingest; -- as much as row exclusive asks for

-- Those of a session outlive its transactions and end with it: a refresh commits on its way, and a worker holds one for days. The
-- session that has an advisory lock of the name, under whatever number, holds it, provided that it logged in as one of ours. So the
-- locks of others count for nothing, and where one of them sits on a number, the next is as good. Looking and taking are one at a time.
create table raw.session_lock (check (false));

-- Who holds the lock of this name. Until the end of the transaction nobody takes any.
create function raw.lock_holders(name text) returns table (pid int, number int) language plpgsql as $$
begin
  lock table raw.session_lock in exclusive mode;
  perform pg_stat_clear_snapshot(); -- or the sessions would be those of the last look in this transaction
  return query
  select l.pid, l.objid::int
  from pg_locks l
  join pg_stat_activity session on session.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = hashtext(lock_holders.name)::oid
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and pg_has_role(session.usesysid, 'airseries_owner', 'member');
end $$;

-- Takes it for this session, once more where it has it already. False: another session holds it. To be called in a transaction of
-- its own.
create function raw.try_lock(name text) returns boolean language plpgsql as $$
declare
  holder record;
  number int;
begin
  select h.pid, h.number into holder from raw.lock_holders(try_lock.name) h order by h.pid = pg_backend_pid() limit 1;
  if holder.pid <> pg_backend_pid() then
    return false;
  end if;
  number := holder.number;
  loop
    number := coalesce(number, floor(random() * 2147483647)::int);
    exit when pg_try_advisory_lock(hashtext(try_lock.name), number);
    number := null;
  end loop;
  return true;
end $$;

-- Waits for it.
create procedure raw.acquire_lock(name text) language plpgsql as $$
begin
  loop
    exit when raw.try_lock(acquire_lock.name);
    commit; -- others may look meanwhile
    perform pg_sleep(0.05);
  end loop;
  commit;
end $$;

-- Gives back what was taken once.
create function raw.release_lock(name text) returns void language sql as $$
  select pg_advisory_unlock(l.classid::int, l.objid::int)
  from pg_locks l
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = hashtext(release_lock.name)::oid and l.pid = pg_backend_pid()
  limit 1
$$;

revoke all on function raw.lock_holders, raw.try_lock, raw.release_lock from public;
revoke all on procedure raw.acquire_lock from public;
