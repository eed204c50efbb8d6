/**
 * Units that a source leaves open (S6): nothing says the unit of a foreign column or of a gas, or
 * something stands in the place of a unit and is not known. All of them are asked for at once.
 */
import { GASES, type ParameterName } from '../../../contract/parameters.ts';
import { numberOf } from '../../../ingest/numbers.ts';
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { medianOf } from '../numbers.ts';
import { conversionFrom, fittingUnits, unitsOf } from '../units.ts';
import { unitChoice } from './unitChoice.ts';
import type { UnitOfValue } from './values.ts';

/** A field whose unit is open. */
type UnsaidUnit = {
  parameter: ParameterName;
  field: string;
  /** The text in the place of its unit; undefined: there is no text. */
  said: string | undefined;
};

/** A bound for memory: rows may say new ones. */
const MOST_UNSAID = 20;

/** True if nothing says the unit of a value, and no rule tells it. */
export const isUnsaid = ({ said, isForeign, isMapped, parameter }: UnitOfValue): boolean =>
  said === undefined && (isForeign === true || (isMapped && GASES.includes(parameter)));

export function makeUnsaidUnits() {
  const unsaid = new Map<string, UnsaidUnit>();
  const note = ({ parameter, field }: UnitOfValue, said: string | undefined) => {
    const key = `${field} ${said ?? ''}`;
    if (unsaid.size < MOST_UNSAID && !unsaid.has(key)) unsaid.set(key, { parameter, field, said });
  };
  return {
    see(units: readonly UnitOfValue[]): void {
      for (const unit of units) {
        const { parameter, said, isBeside } = unit;
        if (isUnsaid(unit)) note(unit, unit.unknownUnit);
        else if (said !== undefined && isBeside && conversionFrom(said, parameter) === undefined)
          note(unit, said);
      }
    },
    /**
     * One doubt about all fields whose unit is open, with an option for each unit in which their
     * values can be, and with what it makes of their median in `readings`.
     */
    doubts(say: Vocabulary, readings: readonly ReadingInput[]): Doubt[] {
      const all = [...unsaid.values()];
      if (all.length === 0) return [];
      const silent = all.flatMap(({ field, said }) => (said === undefined ? field : []));
      const unknown = all.flatMap(({ field, parameter, said }) =>
        said === undefined
          ? []
          : `"${said}" stands where ${field} says its unit, and is not a unit of ${parameter}`,
      );
      const parameters = [...new Set(all.map(({ parameter }) => parameter))];
      const clauses = [
        ...(silent.length === 0 ? [] : [`nothing says the unit of ${silent.join(', ')}`]),
        ...unknown,
      ];
      return [
        {
          what: clauses.join('; '),
          remedy: `Add ${parameters.map((one) => optionsOf(one, readings, say)).join('; and ')}. Convert values in any other unit first.`,
          stops: 'always',
        },
      ];
    },
  };
}

/** `--unit pressure=hpa (740 is 74000 Pa) or --unit pressure=mmhg (740 is 98658 Pa)`. */
function optionsOf(
  parameter: ParameterName,
  readings: readonly ReadingInput[],
  say: Vocabulary,
): string {
  const median = medianOf(readings.flatMap(({ values }) => numberOf(values[parameter]) ?? []));
  const fitting = median === undefined ? [] : fittingUnits(parameter, median);
  if (fitting.length === 0)
    return unitsOf(parameter)
      .map((unit) => say.option('unit', `${parameter}=${unit}`))
      .join(' or ');
  return unitChoice(parameter, median as number, fitting, say);
}
