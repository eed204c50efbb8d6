/**
 * Finds the columns that say the units of others: `SO2` and `SO2_Unit`, a column of units behind each
 * column of values, or one for all (S9).
 */
import type { ParameterName } from '../../../contract/parameters.ts';
import type { Names } from '../../../ingest/rows/row.ts';
import { ownName } from '../formats/ownNames.ts';
import { wordsOf } from './words.ts';

const UNIT_WORDS = 'unit units uom einheit unidad unità unité единица ед միավոր'.split(' ');
/** A unit may be an instrument, too: `unit_id`. */
const NOT_UNITS = 'id no nr num number serial name code us'.split(' ');

/** True for `Units of Measure`, `SO2_Unit`, `uom`; `usUnits` names a system of units. */
export const isUnitColumn = (name: string): boolean => sayUnits(wordsOf(name));

export const sayUnits = (words: readonly string[]): boolean =>
  words.some((word) => UNIT_WORDS.includes(word)) &&
  !words.some((word) => NOT_UNITS.includes(word));

/** A column whose values are read. */
type Value = { parameter: ParameterName; index: number };

type UnitColumns = {
  /** The column that says the unit of a value; undefined: none does. */
  unitOf(value: Value): number | undefined;
  /** Columns with units of unused columns. */
  ofOthers: ReadonlySet<number>;
};

/** Nearly all names have nothing of this, and words of each would cost more than the rest of a plan. */
const MAY_SAY_UNITS = /unit|uom|einheit|unidad|ед|միավոր/i;
const NO_UNITS: UnitColumns = { unitOf: () => undefined, ofOthers: new Set() };

/**
 * `SO2_Unit` belongs to the column `SO2`, `TempUnit` to temperatures; any other to the values before
 * it as far as the one before, and if it is the only one, to all. Takes time linear in the columns:
 * a push may have new ones in every row.
 */
export function unitColumnsOf({ list }: Names, values: readonly Value[]): UnitColumns {
  if (!MAY_SAY_UNITS.test(list.join(' '))) return NO_UNITS;
  const words = list.map(wordsOf);
  const positions = new Map(words.map((some, index) => [some.join(' '), index]));
  const byColumn = new Map<number, number>();
  const byParameter = new Map<ParameterName, number>();
  const unnamed: number[] = [];
  const named: number[] = [];
  for (const [at, some] of words.entries()) {
    if (!sayUnits(some)) continue;
    const base = some.filter((word) => !UNIT_WORDS.includes(word));
    const beside = positions.get(base.join(' '));
    const parameter = ownName(base.join('_'))?.parameter;
    if (beside !== undefined) byColumn.set(beside, at);
    else if (parameter !== undefined) byParameter.set(parameter, at);
    (beside === undefined && parameter === undefined ? unnamed : named).push(at);
  }
  const [only] = unnamed;
  const unitOf = ({ parameter, index }: Value): number | undefined =>
    byColumn.get(index) ??
    byParameter.get(parameter) ??
    (unnamed.length > 1 ? unnamed.find((at) => at > index) : only);
  const used = new Set(values.map(unitOf));
  return { unitOf, ofOthers: new Set([...named, ...unnamed].filter((at) => !used.has(at))) };
}
