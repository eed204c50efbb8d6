/**
 * Finds the columns that say the units of others: `SO2` and `SO2_Unit`, a column of units behind each
 * column of values, or one for all (S9).
 */
import type { ParameterName } from '../../contract/parameters.ts';
import { ownName } from '../formats/ownNames.ts';
import type { Names } from '../rows/row.ts';
import { wordsOf } from './words.ts';

const UNIT_WORDS = 'unit units uom einheit unidad unità unité единица ед միավոր'.split(' ');
/** A unit may be an instrument, too: `unit_id`. */
const NOT_UNITS = 'id no nr num number serial name code us'.split(' ');

/** True for `Units of Measure`, `SO2_Unit`, `uom`; `usUnits` names a system of units. */
export function isUnitColumn(name: string): boolean {
  const words = wordsOf(name);
  return (
    words.some((word) => UNIT_WORDS.includes(word)) &&
    !words.some((word) => NOT_UNITS.includes(word))
  );
}

/** A column whose values are read. */
type Value = { parameter: ParameterName; index: number };

type UnitColumns = {
  /** The column that says the unit of a value; undefined: none does. */
  unitOf(value: Value): number | undefined;
  /** Columns with units of what nobody reads. */
  ofOthers: ReadonlySet<number>;
};

/**
 * `SO2_Unit` belongs to the column `SO2`, `TempUnit` to temperatures; any other to the values before
 * it as far as the one before, and if it is the only one, to all.
 */
export function unitColumnsOf({ list }: Names, values: readonly Value[]): UnitColumns {
  const owners = new Map<number, (value: Value) => boolean>();
  const unnamed: number[] = [];
  for (const [at, name] of list.entries()) {
    if (!isUnitColumn(name)) continue;
    const base = wordsOf(name).filter((word) => !UNIT_WORDS.includes(word));
    const beside = list.findIndex((other) => wordsOf(other).join(' ') === base.join(' '));
    const named = ownName(base.join('_'))?.parameter;
    if (beside >= 0) owners.set(at, ({ index }) => index === beside);
    else if (named !== undefined) owners.set(at, ({ parameter }) => parameter === named);
    else unnamed.push(at);
  }
  const isNamed = (value: Value) => [...owners.values()].some((isOf) => isOf(value));
  const free = values.filter((value) => !isNamed(value)).map(({ index }) => index);
  for (const [nth, at] of unnamed.entries()) {
    const from = unnamed.length === 1 ? Number.NEGATIVE_INFINITY : (unnamed[nth - 1] ?? 0);
    const until = unnamed.length === 1 ? Number.POSITIVE_INFINITY : at;
    owners.set(at, ({ index }) => free.includes(index) && index > from && index < until);
  }
  const all = [...owners];
  return {
    unitOf: (value) => all.find(([, isOf]) => isOf(value))?.[0],
    ofOthers: new Set(all.flatMap(([at, isOf]) => (values.some(isOf) ? [] : at))),
  };
}
