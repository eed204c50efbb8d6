/** Compares all stored buckets with the buckets of literal.ts. */
import type { Sql } from '../../src/database/client.ts';
import { LEVELS } from '../../src/schema/aggregates.ts';
import type { Bucket } from './literal.ts';

/** The differences, in words, and how many values were compared; column `but` is left out. */
export async function compareWithLiteral(
  sql: Sql,
  expected: ReadonlyMap<string, Bucket>,
  { but }: { but?: string } = {},
): Promise<{ wrong: string[]; compared: number }> {
  const missing = new Set(expected.keys());
  const wrong: string[] = [];
  let compared = 0;
  for (const { name, id } of LEVELS) {
    for (const row of await sql`select * from ${sql(`rollup.${name}`)}`) {
      const key = `${name} ${row[id]} ${Date.parse(row.bucket)}`;
      const bucket = expected.get(key);
      missing.delete(key);
      if (bucket === undefined) wrong.push(`${key}: surplus`);
      for (const [column, value] of Object.entries(bucket ?? {})) {
        if (column === but) continue;
        compared++;
        if (!close(row[column], value))
          wrong.push(`${key} ${column}: ${row[column]} is not ${value}`);
      }
    }
  }
  wrong.push(...[...missing].map((key) => `${key}: missing`));
  return { wrong, compared };
}

/** Null equals only null (A9), and numbers are equal as in A10. */
function close(stored: unknown, expected: number | null): boolean {
  if (expected === null || stored === null) return stored === expected;
  return Math.abs(Number(stored) - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
}
