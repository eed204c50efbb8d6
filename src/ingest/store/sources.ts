/**
 * The named sources of the network file. What a declaration says is known to the forms alone
 * (formats.ts), so here it is an object.
 */
import { InputError } from '../../base/inputError.ts';
import { type Queryable, query } from '../../database/query.ts';

/** Declarations by name, in the order of names. */
export async function readSources(db: Queryable): Promise<ReadonlyMap<string, object>> {
  const rows = (await query(db, 'select name, declaration from raw.source order by name', [])) as {
    name: string;
    declaration: object;
  }[];
  return new Map(rows.map(({ name, declaration }) => [name, declaration]));
}

/** The declaration of a name. Rejects with InputError for an unknown one; `input`: where it stands. */
export async function sourceNamed(db: Queryable, name: string, input: string): Promise<object> {
  const all = await readSources(db);
  const found = all.get(name);
  if (found !== undefined) return found;
  const remedy =
    all.size === 0
      ? 'The network file has none: add it to "sources" there.'
      : `There are: ${[...all.keys()].join(', ')}.`;
  throw new InputError(input, `there is no source ${name}`, remedy);
}
