/** Keeps the privileges that operators have granted on the schemas that a migration replaces. */
import type { Log } from '../base/log.ts';
import type { Sql, TransactionSql } from '../database/client.ts';
import { ROLES } from '../database/session.ts';
import { attemptAs } from './attempt.ts';

/** Statements for the privileges of other roles on schemas and all that is in them. */
export async function findGrants(sql: Sql, schemas: readonly string[]): Promise<string[]> {
  const rows = await sql<{ statement: string }[]>`
    with namespace as (select * from pg_namespace where nspname in ${sql(schemas)}),
    relation as (
      select * from pg_class where relnamespace in (select oid from namespace) and relkind in ('r', 'v', 'm')
    )
    select format('grant %s%s on %s to %s%s', privilege_type, columns, target,
      case when grantee = 0 then 'public' else grantee::regrole::text end,
      case when is_grantable then ' with grant option' end) as statement
    from (
      select 'schema ' || n.oid::regnamespace as target, '' as columns, n.nspowner as owner, n.nspacl as privileges,
        false as is_routine
      from namespace n where n.nspname <> 'rollup' -- which stays
      union all
      select c.oid::regclass::text, '', c.relowner, c.relacl, false from relation c
      union all
      select c.oid::regclass::text, format(' (%I)', a.attname), c.relowner, a.attacl, false
      from relation c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
      union all
      select 'routine ' || p.oid::regprocedure, '', p.proowner, p.proacl, true
      from pg_proc p where p.pronamespace in (select oid from namespace)
    ) o, aclexplode(privileges)
    where not (is_routine and grantee = 0) -- everybody may call a routine unless that is revoked
      and grantee <> owner and grantee::regrole::text not in ${sql(ROLES)}
    order by 1`;
  return rows.map(({ statement }) => statement);
}

/** Repeats them on the new schemas. Logs those that name what is gone. */
export async function repeatGrants(
  transaction: TransactionSql,
  grants: readonly string[],
  log: Log,
): Promise<void> {
  for (const grant of grants) {
    const reason = await attemptAs(transaction, ROLES[0], grant);
    if (reason !== undefined) log.warn({ grant, reason }, 'a privilege could not be kept');
  }
}
