/**
 * Schema api offers its readers the columns of its views, and the arguments and columns of its
 * functions. A process remembers those that it started with, since a migration to another version
 * may rebuild the schema under it.
 */
import { type Queryable, query } from '../database/query.ts';

/**
 * Returns what tells which of these are missing from the database by now, by name. Both reject when
 * the database doesn't answer.
 */
export async function snapshotApiSurface(db: Queryable): Promise<() => Promise<string[]>> {
  const known = await querySurface(db);
  return async () => {
    const found = new Set(await querySurface(db));
    return known.filter((item) => !found.has(item));
  };
}

/**
 * Lines such as `station.id integer` and `history_bounds takes at timestamp with time zone`. An
 * argument that may be left out can be added.
 */
async function querySurface(db: Queryable): Promise<string[]> {
  const rows = await query(
    db,
    `
    select format('%s.%s %s', c.relname, a.attname, format_type(a.atttypid, null)) as item
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = to_regnamespace('api') and a.attnum > 0 and not a.attisdropped
    union all
    select format('%s %s %s %s', p.proname, case when p.proargmodes[n] in ('t', 'o') then 'returns' else 'takes' end, p.proargnames[n], format_type(types[n], null))
    from pg_proc p
    cross join lateral (select coalesce(p.proallargtypes, string_to_array(p.proargtypes::text, ' ')::oid[]) as types) all_types
    cross join generate_subscripts(types, 1) n
    where p.pronamespace = to_regnamespace('api')
    union all
    select format('%s needs %s arguments', proname, pronargs - pronargdefaults) from pg_proc where pronamespace = to_regnamespace('api')`,
    [],
  );
  return (rows as { item: string }[]).map(({ item }) => item);
}
