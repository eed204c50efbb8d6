/**
 * The `data.json` of Sensor.Community: the last five minutes of the whole world in one array. Times are UTC and do not say so, values
 * are text, and a reading may be in it twice.
 */
import type { ParameterName } from '../contract/parameters.ts';
import type { ReadingInput } from '../ingest/batch.ts';
import { splitElements } from '../ingest/formats/json.ts';
import { LONGEST_LINE } from '../ingest/formats/lines.ts';
import { inTurns } from '../ingest/formats/turns.ts';
import { VALUE_TYPES } from '../ingest/formats/valueTypes.ts';
import { readInstant } from '../ingest/time.ts';

export type PulledDocument = {
  /** How many readings are in it, whoever's they are. */
  received: number;
  /** Ours, each once, from the open air. */
  readings: ReadingInput[];
  /** There are more than are taken; reading ended there. */
  tooMany: boolean;
};

/** What is kept of one that cannot be taken apart. */
const KEPT = 2_000;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (given: unknown): Fields => Object(given) as Fields;

/** More of ours, or more in all (the whole world has some 30,000), are no document of five minutes any more. */
export const MOST_READINGS = 50_000;
export const MOST_IN_ALL = 500_000;

/**
 * Undefined: it is no JSON array. Elements that name no sensor of ours are left out, whatever their form, and so is what is too long or
 * nested too deeply to be looked into. Only what is ours is kept while the rest goes by.
 */
export async function readSensorCommunity(
  chunks: AsyncIterable<Uint8Array>,
  isOurs: (sensor: number) => boolean,
): Promise<PulledDocument | undefined> {
  const seen = new Set<number | undefined>();
  const document: PulledDocument = { received: 0, readings: [], tooMany: false };
  try {
    for await (const elements of splitElements(inTurns(chunks))) {
      for (const { text, unparsable, alone } of elements) {
        if (alone) return undefined;
        if (document.received === MOST_IN_ALL) return { ...document, tooMany: true };
        document.received += 1;
        const element = unparsable ? {} : fieldsOf(JSON.parse(text));
        const { id, sensor, location } = element;
        const sensorId = numberOf(fieldsOf(sensor).id);
        if (sensorId === undefined || !isOurs(sensorId) || numberOf(fieldsOf(location).indoor) === 1) continue;
        const readingId = numberOf(id);
        if (readingId !== undefined && seen.has(readingId)) continue;
        seen.add(readingId);
        if (document.readings.length === MOST_READINGS) return { ...document, tooMany: true };
        document.readings.push(readElement(element, sensorId));
      }
    }
    return document;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Of what is a number, or text of one. */
function numberOf(given: unknown): number | undefined {
  const number = typeof given === 'string' && given !== '' ? Number(given) : given;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function readElement(element: Fields, sensorId: number): ReadingInput {
  const text = JSON.stringify(element);
  const values = readValues(element.sensordatavalues);
  if (values === undefined || text.length > LONGEST_LINE) {
    return { sensorId, measuredAt: undefined, values: {}, text: text.slice(0, KEPT), unreadable: true };
  }
  return { sensorId, measuredAt: utcTime(element.timestamp), values, text };
}

/** Undefined: they are no list of values with their types. */
function readValues(given: unknown): ReadingInput['values'] | undefined {
  if (!Array.isArray(given)) return undefined;
  const values: Partial<Record<ParameterName, unknown>> = {};
  for (const each of given) {
    const { value_type: type, value } = fieldsOf(each);
    if (typeof type !== 'string') return undefined;
    const parameter = VALUE_TYPES.get(type);
    if (parameter !== undefined) values[parameter] = value;
  }
  return values;
}

/** `2026-11-20 12:00:00` is that time in UTC; whatever is no such time is for the door to judge. */
function utcTime(given: unknown): unknown {
  return typeof given === 'string' && readInstant(given)?.local === true ? `${given}Z` : given;
}
