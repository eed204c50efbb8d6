/** Schema api as Kysely sees it: what PostgreSQL's catalog says (apiTypes.ts, generated), and how a function that returns rows is called. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ApiFunctions, ApiViews } from './apiTypes.ts';

export type Api = ApiViews;

/** Over our reads or over one connection: nothing depends on which. */
export type ApiDb = Kysely<Api>;

/** A row of a view or of a function. */
export type ApiRow<Name extends keyof ApiFunctions | keyof ApiViews> = Name extends keyof ApiFunctions
  ? ApiFunctions[Name]['row']
  : Name extends keyof ApiViews
    ? ApiViews[Name]
    : never;

/** The call of a function, to select from under an alias; arguments go by name, so that any with a default may be left out. */
export function apiRows<Name extends keyof ApiFunctions>(
  name: Name,
  args: ApiFunctions[Name]['arguments'],
): RawBuilder<ApiFunctions[Name]['row']> {
  const named = Object.entries(args).map(([key, value]) => sql`${sql.id(key)} => ${value}`);
  return sql`${sql.id('api', name)}(${sql.join(named)})`;
}
