/**
 * Describes a database from its catalogs, one object a line: to compare an upgraded one with a new
 * one, and for review.
 */
import type { Sql } from '../../src/database/client.ts';

/**
 * Relations with their columns, constraints, indexes, triggers and comments, and the routines, of
 * our four schemas; sorted.
 */
export async function describeSchema(sql: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    with own as (select oid, nspname from pg_namespace where nspname in ('raw', 'rollup', 'logic', 'api')),
    relation as (
      select c.oid, format('%s.%s', n.nspname, c.relname) as name,
        case c.relkind when 'r' then 'table' when 'v' then 'view' when 'm' then 'materialized view' else c.relkind::text end as kind
      from pg_class c join own n on n.oid = c.relnamespace where c.relkind in ('r', 'v', 'm', 'p')
    )
    select format('%s %s', name, kind) as line from relation
    union all
    select format('%s.%s %s%s%s%s', r.name, a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' end,
      ' default ' || pg_get_expr(d.adbin, d.adrelid), ' -- ' || col_description(r.oid, a.attnum))
    from relation r
    join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
    union all
    select format('%s constraint %s %s', r.name, c.conname, pg_get_constraintdef(c.oid))
    from pg_constraint c join relation r on r.oid = c.conrelid where c.contype <> 'n'
    union all
    select format('%s index %s', r.name, regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', ''))
    from pg_index i join relation r on r.oid = i.indrelid
    union all
    select format('%s trigger %s', r.name, pg_get_triggerdef(t.oid)) from pg_trigger t join relation r on r.oid = t.tgrelid where not t.tgisinternal
    union all
    select format('%s grant %s to %s', r.name, string_agg(g.privilege_type, ', ' order by g.privilege_type), g.grantee::regrole)
    from relation r join pg_class c on c.oid = r.oid cross join lateral aclexplode(c.relacl) g
    where g.grantee in (select oid from pg_roles where rolname ~ '^airseries_(ingest|reader)$') group by r.name, g.grantee
    union all
    select format('%s.%s(%s) %s%s', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid),
      case p.prokind when 'p' then 'procedure' else 'returns ' || pg_get_function_result(p.oid) end, ' -- ' || obj_description(p.oid, 'pg_proc'))
    from pg_proc p join own n on n.oid = p.pronamespace
    order by 1`;
  return rows.map(({ line }) => line);
}

/** The definition of every view, aggregate and routine, to compare databases on the same server. */
export async function describeBodies(sql: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select format('%s %s', c.oid::regclass, pg_get_viewdef(c.oid)) as line
    from pg_class c where c.relnamespace in ('rollup'::regnamespace, 'logic'::regnamespace, 'api'::regnamespace) and c.relkind = 'v'
      and not exists (select from pg_class t where t.relnamespace = c.relnamespace and t.relname = c.relname and c.relnamespace = 'rollup'::regnamespace)
    union all
    select case p.prokind when 'a' then (
      select format('%s %s %s', p.oid::regprocedure, a.aggtransfn, a.agginitval) from pg_aggregate a where a.aggfnoid = p.oid)
      else pg_get_functiondef(p.oid) end
    from pg_proc p where p.pronamespace in ('rollup'::regnamespace, 'logic'::regnamespace, 'api'::regnamespace)
    order by 1`;
  return rows.map(({ line }) => line);
}
