/**
 * Puts together the readings of one batch with the same sensor and time (S3): of each parameter the
 * last value counts, and a parameter is empty only if no reading has a value of it, not even one
 * that cannot be used (S2). The last reading with a value takes what the earlier ones have; it is
 * the one that is stored.
 */
import type { Parameter, ReadingColumn } from '../../contract/parameters.ts';
import { type Checked, columnOfReason } from './validate.ts';

/** The fate of a reading that was merged into another, where it is not that one's ordinal. */
const ADDS_NOTHING = 0;
const IS_REPLACED = -1;

/** A parameter that a reading of the batch leaves empty, by the index of the reading. */
export type Empty = { index: number; name: ReadingColumn };

export type MergedBatch = {
  checked: readonly Checked[];
  parameters: readonly Parameter[];
  /** The values to store with a reading: those of its own, and of readings merged into it. */
  values(index: number): readonly (number | null)[];
  /**
   * For each reading: undefined if it is stored itself; the ordinal, from 1, of the reading that has
   * its values now; ADDS_NOTHING; or IS_REPLACED, where a later reading has another value.
   */
  into: (number | undefined)[];
  /** Parameters that readings which are stored themselves leave empty. */
  empty: Empty[];
};

/** `parameters`: those for which the readings were checked. */
export function mergeBatch(
  checked: readonly Checked[],
  parameters: readonly Parameter[],
): MergedBatch {
  const into: (number | undefined)[] = checked.map(() => undefined);
  const ownValues = new Map<number, readonly (number | null)[]>();
  const empty: Empty[] = [];
  const last = new Map<string, number>();
  const groups = new Map<string, number[]>();
  for (const [index, one] of checked.entries()) {
    if (one.reason !== undefined && one.reason !== 'no_value') continue;
    const slot = `${one.sensorId} ${one.time}`;
    const before = last.get(slot);
    last.set(slot, index);
    if (before === undefined) continue;
    const group = groups.get(slot);
    if (group === undefined) groups.set(slot, [before, index]);
    else group.push(index);
  }
  for (const group of groups.values()) {
    const valued = group.filter((index) => checked[index]?.reason === undefined);
    const kept = valued.at(-1) ?? (group.at(-1) as number);
    const values: (number | null)[] = parameters.map(() => null); // of the later readings
    for (const index of valued.toReversed()) {
      const own = (checked[index] as Checked).values;
      if (index !== kept) into[index] = fateOf(own, values, kept);
      own.forEach((value, position) => {
        values[position] ??= value;
      });
    }
    if (valued.length > 1) ownValues.set(kept, values);
    const names = new Set(group.flatMap((index) => (checked[index] as Checked).empty));
    for (const [position, { name }] of parameters.entries())
      if (values[position] !== null) names.delete(name as ReadingColumn);
    for (const index of group)
      for (const name of unusableIn(checked[index] as Checked)) names.delete(name);
    for (const name of names) empty.push({ index: kept, name });
  }
  for (const [slot, index] of last) {
    if (groups.has(slot)) continue;
    for (const name of (checked[index] as Checked).empty) empty.push({ index, name });
  }
  const values = (index: number) => ownValues.get(index) ?? (checked[index] as Checked).values;
  return { checked, parameters, values, into, empty };
}

/** The parameters of which a reading has a value that cannot be used. */
export const unusableIn = ({ rejected }: Checked): ReadingColumn[] => rejected.map(columnOfReason);

/** `later`: the values of the readings behind it. */
function fateOf(
  own: readonly (number | null)[],
  later: readonly (number | null)[],
  kept: number,
): number {
  const given = own.flatMap((value, position) =>
    value === null ? [] : [[value, later[position]]],
  );
  if (given.some(([value, other]) => other !== null && other !== value)) return IS_REPLACED;
  return given.every(([, other]) => other !== null) ? ADDS_NOTHING : kept + 1;
}
