/** Finds what somebody may have meant by a name that does not exist: `lat` is latitude, and `exmaple` is example. */

/** The candidate that the word abbreviates or is a typo of, if there is one. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const given = word.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const other = name.toLowerCase();
    const isAbbreviation = given.length >= 2 && other.startsWith(given);
    const distance = isAbbreviation ? 0.5 : editDistance(given, other);
    const tolerated = Math.min(2, Math.floor(other.length / 3));
    if (distance <= tolerated && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name;
}

/** Insertions, deletions, substitutions and exchanges of two neighbours that turn one word into the other. */
function editDistance(a: string, b: string): number {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const at = (of: number[], index: number) => of[index] ?? 0;
      let least = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, at(before, j - 2) + 1);
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
