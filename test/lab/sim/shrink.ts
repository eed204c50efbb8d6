/**
 * Minimizes a failing run: removes ever smaller pieces as long as the rest still fails (Zeller's
 * ddmin).
 */

export async function shrink<T>(
  steps: readonly T[],
  fails: (steps: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let current = steps;
  let piece = Math.ceil(current.length / 2);
  while (piece >= 1) {
    let shorter = false;
    for (let from = 0; from < current.length; ) {
      const without = [...current.slice(0, from), ...current.slice(from + piece)];
      if (without.length > 0 && (await fails(without))) {
        current = without;
        shorter = true;
      } else {
        from += piece;
      }
    }
    if (piece === 1 && !shorter) break;
    piece = piece === 1 ? 1 : Math.ceil(piece / 2);
  }
  return current;
}
