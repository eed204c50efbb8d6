/**
 * Objects that operators have built on the schemas that a migration replaces. Plain views outside of
 * these schemas are made again by `create or replace view`, which keeps owner, grants and comments.
 * Anything else is refused by name, because dropping a schema drops whatever depends on it, silently.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../base/log.ts';
import type { Sql, TransactionSql } from '../database/client.ts';
import { errorCode } from '../database/errors.ts';
import { attemptAs } from './attempt.ts';
import { findGrants, repeatGrants } from './grants.ts';
import { MigrationRefused } from './migrations.ts';
import { fingerprint } from './template.ts';

/** An object of an operator that depends on a replaced one. */
type Dependent = {
  /** Its kind and name, such as `view reports.daily`. */
  what: string;
  owner: string;
  /** A plain view, which can be made again in its place. */
  isView: boolean;
  /** A statement that makes it; null if the server has no words for that. */
  definition: string | null;
};

/** `grants` are statements. */
export type Dependents = { objects: Dependent[]; grants: string[] };

/** Our schemas; those with a suffix exist during a migration, or after one was killed. */
const OURS = ['raw', 'rollup', 'logic', 'api'].flatMap((name) => [
  name,
  `${name}_next`,
  `${name}_old`,
]);

/** The dependents of everything in the schemas `replaced`, and who else was granted what in them. */
export async function findDependents(
  transaction: TransactionSql,
  replaced: readonly string[],
): Promise<Dependents> {
  const [before] = await transaction<[{ path: string }]>`
    select current_setting('search_path') as path, set_config('search_path', '', true)`; // names are written with schemas
  const objects = await queryDependents(transaction, replaced);
  const grants = await findGrants(transaction, replaced);
  await transaction`select set_config('search_path', ${before.path}, true)`;
  return { objects: [...objects], grants };
}

/**
 * An object is ours if the owner of our schemas owns it and it lies in one of them, or in a schema
 * of an extension, where TimescaleDB keeps parts of aggregates. What is attached to a replaced
 * relation itself (a rule, a trigger, a policy) is always an operator's.
 */
const queryDependents = (sql: Sql, replaced: readonly string[]) => sql<Dependent[]>`
  with ours as (
    select oid, nspowner, nspname in ${sql(replaced)} as is_replaced, nspname in ${sql(replaced)} and nspname <> 'rollup' as is_dropped
    from pg_namespace where nspname in ${sql(OURS)}
  ),
  inner_schema as (
    select oid from ours
    union select objid from pg_depend where classid = 'pg_namespace'::regclass and deptype = 'e'
  ),
  replaced as (
    select tableoid as classid, oid from pg_class where relnamespace in (select oid from ours where is_replaced)
    union all select tableoid, oid from pg_proc where pronamespace in (select oid from ours where is_replaced)
    union all select tableoid, oid from pg_type where typnamespace in (select oid from ours where is_replaced)
  ),
  dependent as ( -- a view depends on others by its rule
    select case when rule.rulename = '_RETURN' then 'pg_class'::regclass else d.classid end as classid,
      case when rule.rulename = '_RETURN' then rule.ev_class else d.objid end as objid,
      coalesce(relation.relnamespace, routine.pronamespace, type.typnamespace) as schema,
      coalesce(relation.relowner, routine.proowner, type.typowner) as owner,
      coalesce(r.oid = coalesce(rule.ev_class, trigger.tgrelid, policy.polrelid), false) as is_attached
    from replaced r
    join pg_depend d on (d.refclassid, d.refobjid) = (r.classid, r.oid)
    left join pg_rewrite rule on d.classid = 'pg_rewrite'::regclass and rule.oid = d.objid
    left join pg_trigger trigger on d.classid = 'pg_trigger'::regclass and trigger.oid = d.objid
    left join pg_policy policy on d.classid = 'pg_policy'::regclass and policy.oid = d.objid
    left join pg_attrdef value on d.classid = 'pg_attrdef'::regclass and value.oid = d.objid
    left join pg_constraint con on d.classid = 'pg_constraint'::regclass and con.oid = d.objid
    left join pg_proc routine on d.classid = 'pg_proc'::regclass and routine.oid = d.objid
    left join pg_type type on d.classid = 'pg_type'::regclass and type.oid = d.objid
    left join pg_class relation on relation.oid = coalesce(rule.ev_class, trigger.tgrelid, policy.polrelid, value.adrelid,
      nullif(con.conrelid, 0), case when d.classid = 'pg_class'::regclass then d.objid end)
    where d.deptype = 'n' and (rule.rulename is distinct from '_RETURN' or rule.ev_class <> r.oid)
      or d.deptype = 'a' and (trigger.oid is not null or policy.oid is not null or rule.rulename <> '_RETURN'
        or d.classid = 'pg_publication_rel'::regclass)
    union -- an operator's object in a schema that is dropped, whatever it depends on
    select c.tableoid, c.oid, c.relnamespace, c.relowner, false from pg_class c where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and c.relnamespace in (select oid from ours where is_dropped)
    union
    select p.tableoid, p.oid, p.pronamespace, p.proowner, false from pg_proc p
    where p.pronamespace in (select oid from ours where is_replaced)
  )
  select pg_describe_object(d.classid, d.objid, 0) as what, coalesce(d.owner::regrole::text, '') as owner,
    bool_and(not is_attached and coalesce(c.relkind = 'v', false)
      and d.schema not in (select oid from inner_schema except select oid from ours where not is_dropped)) as "isView",
    case d.classid
      when 'pg_class'::regclass then case c.relkind
        when 'v' then format('create or replace view %s%s as %s', c.oid::regclass,
          ' with (' || array_to_string(c.reloptions, ', ') || ')', rtrim(pg_get_viewdef(c.oid), ';'))
        when 'm' then format('create materialized view %s as %s', c.oid::regclass, pg_get_viewdef(c.oid))
          || array_to_string(array(select e';\n' || pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = c.oid), '') end
      when 'pg_proc'::regclass then (select pg_get_functiondef(p.oid) from pg_proc p where p.oid = d.objid and p.prokind in ('f', 'p'))
      when 'pg_rewrite'::regclass then pg_get_ruledef(d.objid)
      when 'pg_trigger'::regclass then pg_get_triggerdef(d.objid)
      when 'pg_constraint'::regclass then (
        select format('alter %s %s add constraint %I %s', case when con.conrelid = 0 then 'domain' else 'table' end,
          coalesce(nullif(con.conrelid, 0)::regclass::text, con.contypid::regtype::text), con.conname, pg_get_constraintdef(con.oid))
        from pg_constraint con where con.oid = d.objid)
      when 'pg_attrdef'::regclass then (
        select case when a.attgenerated = ''
          then format('alter table %s alter column %I set default %s', v.adrelid::regclass, a.attname, pg_get_expr(v.adbin, v.adrelid))
          else format('alter table %s add column %I %s generated always as (%s) stored', v.adrelid::regclass, a.attname,
            format_type(a.atttypid, a.atttypmod), pg_get_expr(v.adbin, v.adrelid)) end
        from pg_attrdef v join pg_attribute a on (a.attrelid, a.attnum) = (v.adrelid, v.adnum) where v.oid = d.objid)
    end as definition
  from dependent d
  left join pg_class c on d.classid = 'pg_class'::regclass and c.oid = d.objid
  where (is_attached or coalesce(d.owner not in (select nspowner from ours) or d.schema not in (select oid from inner_schema), true))
    and coalesce(d.schema::regnamespace::text, '') not like 'pg\\_temp\\_%' -- gone with its session
  group by d.classid, d.objid, d.owner, c.oid
  order by d.objid`;

/**
 * Takes the locks that making views again needs, by making them again as they are. Otherwise their
 * readers, who wait for an aggregate that is being replaced, and the migration, which waits for
 * their views, would be a deadlock.
 */
export async function lockDependents(
  transaction: TransactionSql,
  { objects }: Dependents,
): Promise<void> {
  for (const view of objects) await remake(transaction, view); // what fails will fail again below
}

/**
 * Makes views again, and repeats what was granted, on the new schemas. Throws MigrationRefused,
 * naming all that do not fit, after which the transaction must be rolled back.
 */
export async function remakeDependents(
  transaction: TransactionSql,
  { objects, grants }: Dependents,
  log: Log,
): Promise<void> {
  await repeatGrants(transaction, grants, log);
  const refused: (Dependent & { reason: string })[] = [];
  for (const object of objects) {
    const reason = await remake(transaction, object);
    if (reason !== undefined) refused.push({ ...object, reason });
  }
  if (refused.length === 0) return;
  const list = refused.map(({ what, owner, reason }) => `${what} (owner ${owner}): ${reason}`);
  throw new MigrationRefused(
    `This version replaces schemas api and logic, and cannot make again what depends on them:\n${list.join('\n')}\n` +
      `Nothing was changed. ${whereDefined(refused, log)} Drop each or move it away (alter … set schema), start again, and create it ` +
      'once more; if its owner is the reason, grant that role to the user of DATABASE_URL.',
  );
}

/** Resolves to the reason if it cannot be made again. */
const remake = async (
  transaction: TransactionSql,
  { isView, owner, definition }: Dependent,
): Promise<string | undefined> =>
  isView && definition !== null
    ? await attemptAs(transaction, owner, definition)
    : 'only plain views outside its schemas can be kept';

/**
 * Writes the definitions to the log and to a file, and says where that is. A container that is made
 * again has lost the file.
 */
function whereDefined(objects: readonly Dependent[], log: Log): string {
  const text = objects
    .map(({ what, owner, definition }) =>
      [`-- ${what}, owner ${owner}`, ...(definition === null ? [] : [`${definition};`])].join('\n'),
    )
    .join('\n\n');
  log.warn({ definitions: text }, 'what this version cannot make again');
  try {
    return `The definitions are in ${keepInFile(`${text}\n`)}.`;
  } catch (error) {
    return `The definitions could not be written to a file (${(error as Error).message}):\n${text}\n`;
  }
}

/**
 * The same text is the same file, so that a service that starts again and again makes one. No file
 * is overwritten, and none is believed to hold the text: anyone may write to this folder.
 */
function keepInFile(text: string): string {
  const start = join(tmpdir(), `airseries-dependents-${fingerprint(text).slice(0, 8)}`);
  for (let n = 1; ; n++) {
    const file = n === 1 ? `${start}.sql` : `${start}-${n}.sql`;
    try {
      writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
      return file;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      if (holds(file, text)) return file;
    }
  }
}

function holds(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'utf8') === text;
  } catch {
    return false;
  }
}
