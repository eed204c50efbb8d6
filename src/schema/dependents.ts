/**
 * Keeps what operators have built on the schemas that a migration replaces: views, materialized views,
 * functions and rules, and the privileges that they have granted. All of it is read before the
 * replacement and made again after it, in the same transaction. A migration that cannot do that is
 * refused, because dropping a schema drops whatever depends on it, silently.
 */

import type { Log } from '../base/log.ts';
import type { Sql, TransactionSql } from '../database/client.ts';
import { errorCode } from '../database/errors.ts';
import { ROLES } from '../database/session.ts';
import { MigrationRefused } from './migrations.ts';

/** An object of an operator that depends on a replaced one. */
type Dependent = {
  /** Such as `view reports.daily`. */
  what: string;
  owner: string;
  /**
   * Makes it again. A materialized view of before is renamed and keeps its dependents until they
   * are made again too.
   */
  statements: string[];
  /** Drops what was renamed. */
  cleanup: string | null;
  /** Fills a materialized view, after the transaction: it may take long. */
  fill: string | null;
};

/** `objects` in the order in which they are made again; `grants` are statements. */
export type Dependents = { objects: Dependent[]; grants: string[] };

/** Our schemas; those with a suffix exist during a migration, or after one was killed. */
const OURS = ['raw', 'rollup', 'logic', 'api'].flatMap((name) => [
  name,
  `${name}_next`,
  `${name}_old`,
]);

/**
 * The dependents of everything in the schemas `replaced`, and who else was granted what in them. An
 * object is ours if the owner of our schemas owns it and it lies in one of them, or in a schema of
 * an extension, where TimescaleDB keeps parts of aggregates.
 */
export async function findDependents(
  transaction: TransactionSql,
  replaced: readonly string[],
): Promise<Dependents> {
  const [before] = await transaction<[{ path: string }]>`
    select current_setting('search_path') as path, set_config('search_path', '', true)`; // names are written with schemas
  const found = await queryDependents(transaction, replaced);
  const grants = await queryGrants(transaction, { schemas: replaced });
  const objects: Dependent[] = [];
  for (const { relation, ...object } of found) {
    if (relation !== null)
      object.statements.push(...(await queryGrants(transaction, { relation })));
    objects.push(object);
  }
  await transaction`select set_config('search_path', ${before.path}, true)`;
  return { objects, grants };
}

/** `relation` is the oid of a materialized view, whose grants are lost with it. */
const queryDependents = (sql: Sql, replaced: readonly string[]) => sql<
  (Dependent & { relation: string | null })[]
>`
  with recursive ours as (
    select oid, nspname, nspowner from pg_namespace where nspname in ${sql(OURS)}
  ),
  storage as ( -- schemas of extensions
    select objid as oid from pg_depend where classid = 'pg_namespace'::regclass and deptype = 'e'
  ),
  dropped as (
    select oid from ours where nspname in ${sql(replaced)} and nspname <> 'rollup'
  ),
  replaced as (
    select c.tableoid as classid, c.oid as objid from pg_class c
    where c.relnamespace in (select oid from ours where nspname in ${sql(replaced)})
    union all
    select p.tableoid, p.oid from pg_proc p
    where p.pronamespace in (select oid from ours where nspname in ${sql(replaced)})
    union all
    select t.tableoid, t.oid from pg_type t
    where t.typnamespace in (select oid from ours where nspname in ${sql(replaced)})
  ),
  dependency as (
    select d.refclassid, d.refobjid,
      -- a view depends on others by its rule
      case when rule.rulename = '_RETURN' then 'pg_class'::regclass else d.classid end as classid,
      case when rule.rulename = '_RETURN' then rule.ev_class else d.objid end as objid,
      coalesce(relation.relnamespace, routine.pronamespace, type.typnamespace) as schema,
      coalesce(relation.relowner, routine.proowner, type.typowner) as owner,
      case
        when rule.rulename <> '_RETURN' then 'rule'
        when (rule.oid is not null or d.classid = 'pg_class'::regclass) and relation.relkind in ('v', 'm') then relation.relkind::text
        when routine.prokind in ('f', 'p') then 'routine'
      end as kind,
      -- a rule, trigger or policy of the very relation that is replaced, so that it is an operator's whatever its schema
      coalesce(d.refobjid = coalesce(rule.ev_class, trigger.tgrelid, policy.polrelid), false) as is_attached
    from pg_depend d
    left join pg_rewrite rule on d.classid = 'pg_rewrite'::regclass and rule.oid = d.objid
    left join pg_trigger trigger on d.classid = 'pg_trigger'::regclass and trigger.oid = d.objid
    left join pg_policy policy on d.classid = 'pg_policy'::regclass and policy.oid = d.objid
    left join pg_attrdef value on d.classid = 'pg_attrdef'::regclass and value.oid = d.objid
    left join pg_constraint con on d.classid = 'pg_constraint'::regclass and con.oid = d.objid
    left join pg_proc routine on d.classid = 'pg_proc'::regclass and routine.oid = d.objid
    left join pg_type type on d.classid = 'pg_type'::regclass and type.oid = d.objid
    left join pg_class relation on relation.oid = coalesce(rule.ev_class, trigger.tgrelid, policy.polrelid, value.adrelid,
      nullif(con.conrelid, 0), case when d.classid = 'pg_class'::regclass then d.objid end)
    where d.deptype = 'n' and (rule.rulename is distinct from '_RETURN' or rule.ev_class <> d.refobjid)
      or d.deptype = 'a' and (trigger.oid is not null or policy.oid is not null or rule.rulename <> '_RETURN'
        or d.classid = 'pg_publication_rel'::regclass)
  ),
  edge as materialized (
    select refclassid, refobjid, classid, objid, owner,
      case when not is_attached and schema not in (select oid from storage union all select oid from dropped) then kind end as kind
    from dependency
    where not coalesce(not is_attached and owner in (select nspowner from ours)
        and schema in (select oid from ours union all select oid from storage), false)
      and coalesce(schema::regnamespace::text, '') not like 'pg\\_temp\\_%' -- gone with its session
  ),
  found as (
    select 1 as depth, e.* from edge e join replaced r on (r.classid, r.objid) = (e.refclassid, e.refobjid)
    union
    -- a view that is replaced keeps its dependents; a materialized one is made from scratch
    select f.depth + 1, e.*
    from found f
    join pg_class c on f.kind = 'm' and c.oid = f.objid
    join pg_type row_type on row_type.oid = c.reltype
    join edge e on e.refobjid in (c.oid, c.reltype, row_type.typarray) and e.objid <> f.objid
  ),
  stranger as ( -- an operator's object in a schema that is dropped, whatever it depends on
    select c.tableoid as classid, c.oid as objid, c.relowner as owner from pg_class c join ours on ours.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and c.relowner <> ours.nspowner and ours.oid in (select oid from dropped)
    union all
    select p.tableoid, p.oid, p.proowner from pg_proc p join ours on ours.oid = p.pronamespace
    where p.proowner <> ours.nspowner and ours.nspname in ${sql(replaced)}
  ),
  object as (
    select classid, objid, owner, case when bool_and(kind is not null) then min(kind) end as kind, max(depth) as depth from found
    where (classid, objid) not in (select classid, objid from stranger)
    group by classid, objid, owner
    union all
    select classid, objid, owner, null, 0 from stranger
  )
  select pg_describe_object(classid, objid, 0) as what, coalesce(owner::regrole::text, '') as owner,
    to_json(case o.kind
      when 'v' then array[
        format('create or replace view %s%s as %s', relation.name, relation.options, relation.definition)]
      when 'm' then
        array(select format('drop index %s', i.indexrelid::regclass) from pg_index i where i.indrelid = objid)
        || format('alter materialized view %s rename to replaced_%s', relation.name, objid)
        || format('create materialized view %s using %I%s%s as %s with no data', relation.name, relation.method,
          relation.options, ' tablespace ' || quote_ident(relation.tablespace), relation.definition)
        || format('alter materialized view %s owner to %s', relation.name, owner::regrole)
        || array(select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = objid)
        || array(
          select format('comment on %s is %L', case when c.relkind = 'm' and d.objsubid > 0
              then (select format('column %s.%I', relation.name, attname) from pg_attribute
                where attrelid = c.oid and attnum = d.objsubid)
              else pg_describe_object(c.tableoid, c.oid, 0) end, d.description)
          from pg_class c join pg_description d on (d.classoid, d.objoid) = (c.tableoid, c.oid)
          where c.oid = objid or c.oid in (select indexrelid from pg_index where indrelid = objid))
      when 'routine' then array[pg_get_functiondef(objid)]
      when 'rule' then array[regexp_replace(pg_get_ruledef(objid), '^CREATE RULE', 'CREATE OR REPLACE RULE')]
      else '{}' end) as statements,
    case when o.kind = 'm' then format('drop materialized view %I.replaced_%s', relation.schema, objid) end as cleanup,
    case when relation.relispopulated and o.kind = 'm' then format('refresh materialized view %s', relation.name) end as fill,
    case when o.kind = 'm' then objid::text end as relation
  from object o
  left join lateral (
    select c.oid::regclass as name, n.nspname as schema, c.relispopulated, am.amname as method, t.spcname as tablespace,
      ' with (' || array_to_string(c.reloptions, ', ') || ')' as options,
      rtrim(pg_get_viewdef(c.oid), ';') as definition
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_am am on am.oid = c.relam
    left join pg_tablespace t on t.oid = c.reltablespace
    where c.oid = o.objid and o.classid = 'pg_class'::regclass and o.kind in ('v', 'm')
  ) relation on true
  order by depth, objid`;

/**
 * Statements for the privileges of other roles on schemas and all that is in them, or on one
 * relation.
 */
async function queryGrants(
  sql: Sql,
  { schemas = [], relation = null }: { schemas?: readonly string[]; relation?: string | null },
): Promise<string[]> {
  const names = ['', ...schemas];
  const rows = await sql<{ statement: string }[]>`
    select format('grant %s%s on %s to %s%s', privilege_type, columns, target,
      case when grantee = 0 then 'public' else grantee::regrole::text end,
      case when is_grantable then ' with grant option' end) as statement
    from (
      select 'schema ' || n.oid::regnamespace as target, '' as columns, n.nspowner as owner, n.nspacl as privileges,
        false as is_routine
      from pg_namespace n where n.nspname in ${sql(names)} and n.nspname <> 'rollup' -- which stays
      union all
      select c.oid::regclass::text, '', c.relowner, c.relacl, false from pg_class c
      where (c.relnamespace::regnamespace::text in ${sql(names)} or c.oid = ${relation}::oid) and c.relkind in ('r', 'v', 'm')
      union all
      select c.oid::regclass::text, format(' (%I)', a.attname), c.relowner, a.attacl, false
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where (c.relnamespace::regnamespace::text in ${sql(names)} or c.oid = ${relation}::oid) and c.relkind in ('r', 'v', 'm') and not a.attisdropped
      union all
      select 'routine ' || p.oid::regprocedure, '', p.proowner, p.proacl, true from pg_proc p
      where p.pronamespace::regnamespace::text in ${sql(names)}
    ) o, aclexplode(privileges)
    where not (is_routine and grantee = 0) -- everybody may call a routine unless that is revoked
      and grantee <> owner and grantee::regrole::text not in ${sql(ROLES)}
    order by 1`;
  return rows.map(({ statement }) => statement);
}

/**
 * Takes the locks that making views again needs, by making them again as they are. Otherwise their
 * readers, who wait for an aggregate that is being replaced, and the migration, which waits for
 * their views, would be a deadlock.
 */
export async function lockDependents(
  transaction: TransactionSql,
  { objects }: Dependents,
): Promise<void> {
  for (const object of objects.filter(({ cleanup }) => cleanup === null))
    await attempt(transaction, object.owner, object.statements); // what fails will fail again below
}

/**
 * Makes dependents again, and repeats what was granted, on the new schemas. Throws
 * MigrationRefused, naming all that do not fit, after which the transaction must be rolled back.
 */
export async function remakeDependents(
  transaction: TransactionSql,
  { objects, grants }: Dependents,
  log: Log,
): Promise<void> {
  for (const grant of grants) {
    const reason = await attempt(transaction, ROLES[0], [grant]);
    if (reason !== undefined) log.warn({ grant, reason }, 'a privilege could not be kept');
  }
  const refused: string[] = [];
  for (const { what, owner, statements } of objects) {
    const reason =
      statements.length === 0
        ? 'only views, functions and rules outside its schemas can be kept'
        : await attempt(transaction, owner, statements);
    if (reason !== undefined) refused.push(`${what} (owner ${owner}): ${reason}`);
  }
  if (refused.length > 0) {
    throw new MigrationRefused(
      `This version replaces schemas api and logic, and cannot make again what depends on them:\n${refused.join('\n')}\n` +
        'Nothing was changed. Keep the definition of each (psql: \\d+, \\sf), drop it or move it away (alter … set schema), start ' +
        'again, and create it once more; if its owner is the reason, grant that role to the user of DATABASE_URL.',
    );
  }
  for (const { owner, cleanup } of objects.toReversed()) {
    const reason = cleanup === null ? undefined : await attempt(transaction, owner, [cleanup]);
    if (reason !== undefined) throw new MigrationRefused(`${cleanup}: ${reason}`);
  }
}

/**
 * Once all is committed: reports what was made again, and runs `fill` of each materialized view, in
 * a transaction each.
 */
export async function fillDependents(
  { objects }: Dependents,
  inTransaction: (work: (sql: TransactionSql) => Promise<void>) => Promise<void>,
  log: Log,
): Promise<void> {
  if (objects.length > 0)
    log.info({ objects: objects.map(({ what }) => what) }, 'what depends on them was made again');
  for (const { what, owner, fill } of objects) {
    if (fill === null) continue;
    await inTransaction(async (transaction) => {
      const reason = await attempt(transaction, owner, [fill]);
      if (reason === undefined) log.info({ object: what }, 'filled again');
      else log.warn({ object: what, reason, statement: fill }, 'it could not be filled again');
    });
  }
}

/** Errors that say nothing about the statement: locks, resources, an ended connection. */
const NOT_ITS_FAULT = /^(40|53|55|57|58|08)/;

/**
 * Runs statements as `owner`, or as the connecting superuser, who need not be in that role, and
 * changes nothing if one fails. Resolves to the reason then. Rejects for errors that are not the
 * fault of the statements. Ends in the owner's role of our schemas.
 */
async function attempt(
  transaction: TransactionSql,
  owner: string,
  statements: readonly string[],
): Promise<string | undefined> {
  const [user] = await transaction<[{ rolsuper: boolean }]>`
    select rolsuper from pg_roles where rolname = session_user`;
  try {
    await transaction.savepoint(async (inner) => {
      await inner.unsafe(`set local role ${user.rolsuper ? 'none' : owner}`);
      for (const statement of statements) await inner.unsafe(statement).simple();
      await inner`set local role airseries_owner`;
    });
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code.length !== 5 || NOT_ITS_FAULT.test(code)) throw error;
    return (error as Error).message;
  }
}
