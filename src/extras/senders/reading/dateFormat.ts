/**
 * Finds out in which order a source writes dates such as 05/06/2026, from the dates that admit one
 * order only.
 */
import { InputError } from '../../../base/inputError.ts';
import { FILE_LIMITS, type Limits } from '../../../ingest/reading/batches.ts';
import type { Declarations } from '../../../ingest/reading/declarations.ts';
import { readInstant } from '../../../ingest/reading/instants.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import { COMMAND_LINE } from '../../../ingest/reading/vocabulary.ts';
import { openSource } from '../../../ingest/rows/source.ts';
import { readReadings } from './collect.ts';
import { DATE_FORMATS, type DateFormat, slashedDate } from './times.ts';

/** The order in which a source writes its dates, as far as it was read. */
type DateOrder = {
  /** The first date that admits each order only, with its line. */
  only: { [order in DateFormat]?: string };
  /** The first date that either order fits, and means another day by each. */
  either: string | undefined;
  /** A date has been read whose order is in question. */
  isSlashed: boolean;
};

const unknownOrder = (): DateOrder => ({ only: {}, either: undefined, isSlashed: false });

/** Adds what the date of a reading says; false for a time whose order is not in question. */
function addDate(order: DateOrder, { measuredAt, line }: ReadingInput): boolean {
  const date = typeof measuredAt === 'string' ? slashedDate(measuredAt) : undefined;
  if (date === undefined) return false;
  const { first, second, text } = date;
  order.isSlashed = true;
  if (first > 12) order.only['dd/mm/yyyy'] ??= `${text} in line ${line}`;
  else if (second > 12) order.only['mm/dd/yyyy'] ??= `${text} in line ${line}`;
  else if (first !== second) order.either ??= text;
  return true;
}

/**
 * The order; undefined: none is in question, or either fits. Throws InputError where dates have
 * both. `input`: the name of their source.
 */
function orderOf({ only, either, isSlashed }: DateOrder, input: string) {
  const { 'dd/mm/yyyy': dayFirst, 'mm/dd/yyyy': monthFirst } = only;
  if (dayFirst !== undefined && monthFirst !== undefined)
    throw new InputError(
      input,
      `it writes dates in two orders, ${dayFirst} with the day first, and ${monthFirst} with the month`,
      'Write all of them alike, as 2026-11-20.',
    );
  const told = DATE_FORMATS.find((one) => only[one] !== undefined);
  return told ?? (isSlashed && either === undefined ? DATE_FORMATS[0] : undefined);
}

/** The order in which readings write their dates. Throws as orderOf does. */
export function dateFormatIn(readings: readonly ReadingInput[], input: string) {
  const order = unknownOrder();
  for (const reading of readings) addDate(order, reading);
  return orderOf(order, input);
}

/**
 * The order in which the file at `path` writes its dates, by those whose day is above 12. Undefined
 * if it is declared, or the first time needs none; else all of the file is read. Rejects with
 * InputError where both orders fit every date, and as orderOf throws.
 */
export async function findDateFormat(
  path: string,
  declared: Declarations = {},
  limits: Limits = FILE_LIMITS,
): Promise<DateFormat | undefined> {
  if (declared.dateFormat !== undefined) return undefined;
  const order = unknownOrder();
  const source = await openSource(path);
  try {
    for await (const { readings } of readReadings(source, declared, limits))
      for (const reading of readings) {
        const { measuredAt } = reading;
        const isOpen = addDate(order, reading) || order.isSlashed;
        if (!isOpen && typeof measuredAt === 'string' && readInstant(measuredAt) !== undefined)
          return undefined;
      }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return undefined; // the import itself meets it, and says so
  } finally {
    source.close();
  }
  const found = orderOf(order, path);
  if (found !== undefined || order.either === undefined) return found;
  throw new InputError(
    path,
    `whether dates such as ${order.either} begin with the day or the month cannot be told, because no day of the file is above 12`,
    `Say it: ${DATE_FORMATS.map((one) => COMMAND_LINE.option('date-format', one)).join(' or ')}.`,
  );
}
