/** Offers the units that the values of a column may be in, with what each makes of their median. */
import type { ParameterName } from '../../../contract/parameters.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { type FittingUnit, unitInWords } from '../units.ts';

/**
 * An option for each unit that values may be in, with what it makes of one:
 * `--unit pressure=hpa (740 is 74000 Pa) or --unit pressure=mmhg (740 is 98658 Pa)`.
 */
export const unitChoice = (
  parameter: ParameterName,
  value: number,
  fitting: readonly FittingUnit[],
  say: Vocabulary,
): string =>
  fitting
    .map(
      ({ unit, stored }) =>
        `${say.option('unit', `${parameter}=${unit}`)} (${value} is ${stored} ${unitInWords(parameter)})`,
    )
    .join(' or ');
