/**
 * Finds out in which order a file writes dates such as 05/06/2026, from the dates that admit one
 * order only.
 */
import { InputError } from '../../base/inputError.ts';
import { openSource } from '../rows/source.ts';
import { readReadings } from './collect.ts';
import type { Declarations } from './declarations.ts';
import { readInstant } from './instants.ts';
import { DATE_FORMATS, type DateFormat, slashedDate } from './times.ts';
import { COMMAND_LINE } from './vocabulary.ts';

/**
 * The order in which the file at `path` writes its dates, by the first date whose day is above 12.
 * Undefined if its times need none. Reads the file up to there. Rejects with InputError where both
 * orders fit every date.
 */
export async function findDateFormat(
  path: string,
  declared: Declarations = {},
): Promise<DateFormat | undefined> {
  let example: string | undefined;
  let isSlashed = false;
  const source = await openSource(path);
  try {
    for await (const { readings } of readReadings(source, declared)) {
      for (const { measuredAt } of readings) {
        if (typeof measuredAt !== 'string') continue;
        const date = slashedDate(measuredAt);
        if (date === undefined && readInstant(measuredAt) !== undefined) return undefined;
        if (date === undefined) continue;
        if (date.first > 12) return 'dd/mm/yyyy';
        if (date.second > 12) return 'mm/dd/yyyy';
        isSlashed = true;
        if (date.first !== date.second) example ??= date.text;
      }
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return undefined; // the import itself meets it, and says so
  } finally {
    source.close();
  }
  // in 05/05/2026 the order makes no difference
  if (example === undefined) return isSlashed ? DATE_FORMATS[0] : undefined;
  throw new InputError(
    path,
    `whether dates such as ${example} begin with the day or the month cannot be told, because no day of the file is above 12`,
    `Say it: ${DATE_FORMATS.map((one) => COMMAND_LINE.option('date-format', one)).join(' or ')}.`,
  );
}
