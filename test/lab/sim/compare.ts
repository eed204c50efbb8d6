/** Compares the buckets of two engines, as equal as rule A10 requires. */

type Buckets = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The first few differences, in words. */
export function compareBuckets(left: Buckets, right: Buckets): string[] {
  const found: string[] = [];
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const [a, b] = [left.get(key), right.get(key)];
    if (a === undefined || b === undefined) found.push(`${key}: only on one engine`);
    else
      for (const column of Object.keys(a))
        if (!same(a[column], b[column]))
          found.push(`${key} ${column}: ${a[column]} and ${b[column]}`);
    if (found.length > 5) break;
  }
  return found;
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}
