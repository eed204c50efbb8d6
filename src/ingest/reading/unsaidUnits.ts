/**
 * Units that a source leaves open: something stands in the place of a unit and is not known, or a gas
 * of a foreign column has no unit at all, which may be ppb or µg/m³ (S9).
 */
import type { ParameterName } from '../../contract/parameters.ts';
import { ownUnitOf, unitsOf } from '../units.ts';
import type { Doubt } from './doubt.ts';
import type { SourceNotes } from './notes.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A field whose unit is open. */
export type UnsaidUnit = {
  parameter: ParameterName;
  field: string;
  /** What stands in the place of its unit; undefined: nothing. */
  said: string | undefined;
  /** It stands in rows, where no value is taken for one in our unit: values are refused instead. */
  isInRows?: true;
};

/** A bound for memory: rows may say new ones. */
const MOST_UNSAID = 20;

export function noteUnsaidUnit(unsaid: Map<string, UnsaidUnit>, one: UnsaidUnit): void {
  const key = `${one.field} ${one.said ?? ''}`;
  if (unsaid.size < MOST_UNSAID && !unsaid.has(key)) unsaid.set(key, one);
}

/** A gas that is given in ppb may be 2.7 times as much in µg/m³, and no value tells which it is. */
export const unsaidUnits = ({ unsaid }: Pick<SourceNotes, 'unsaid'>, say: Vocabulary): Doubt[] =>
  [...unsaid.values()].map(({ parameter, field, said, isInRows }) => {
    const units = unitsOf(parameter);
    const own = say.option('unit', `${parameter}=${ownUnitOf(parameter)}`);
    const other = units.find((unit) => unit !== ownUnitOf(parameter));
    return {
      what:
        said === undefined
          ? `the unit of ${field} is not said, and ${parameter} comes in ${units.slice(0, 2).join(' or ')} alike`
          : `"${said}" stands where ${field} says its unit, and ${parameter} has no such unit`,
      remedy:
        said === undefined
          ? `Add ${say.option('unit', `${parameter}=${other}`)} or ${own}.`
          : `Say its unit, as in ${own}; ${parameter} may come in ${units.join(', ')}.`,
      ...(!isInRows && { stops: 'always' as const }),
    };
  });
