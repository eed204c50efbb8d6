/**
 * Reads the `data.json` of Sensor.Community: the last five minutes of the whole world in one array. Times are UTC without saying so,
 * values are text, and a reading may occur twice.
 */
import type { ParameterName } from '../contract/parameters.ts';
import { VALUE_TYPES } from '../ingest/formats/airrohr.ts';
import { splitElements } from '../ingest/formats/json.ts';
import { EXCERPT_LENGTH, inTurns, LONGEST_LINE } from '../ingest/formats/lines.ts';
import { type ReadingInput, readInstant } from '../ingest/validate.ts';
import type { Refuse } from './fetchDocument.ts';

type PulledDocument = {
  /** How many readings the document has, of any sensor. */
  received: number;
  /** Those of our outdoor sensors, each once. */
  readings: ReadingInput[];
};

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (given: unknown): Fields => Object(given) as Fields;

/** Bounds on our readings and on all (the whole world has some 30,000): a larger document does not cover five minutes. */
export const MOST_READINGS = 50_000;
export const MOST_IN_ALL = 500_000;

/**
 * Keeps only the readings of sensors for which `isOurs` is true. Other elements are left out, whatever their form, and so are those that
 * are too long or too deeply nested to be parsed. Rejects as `chunks` does, and with what `refuse` makes of a document that is no array or
 * has too many elements.
 */
export async function readSensorCommunity(
  chunks: AsyncIterable<Uint8Array>,
  isOurs: (sensor: number) => boolean,
  refuse: Refuse,
): Promise<PulledDocument> {
  const seen = new Set<number | undefined>();
  const readings: ReadingInput[] = [];
  let received = 0;
  try {
    for await (const elements of splitElements(inTurns(chunks))) {
      for (const { text, unparsable, alone } of elements) {
        if (alone) throw new SyntaxError('no array');
        received += 1;
        const element = unparsable ? {} : fieldsOf(JSON.parse(text));
        const { id, sensor, location } = element;
        const sensorId = numberOf(fieldsOf(sensor).id);
        const readingId = numberOf(id);
        const isWanted = sensorId !== undefined && isOurs(sensorId) && numberOf(fieldsOf(location).indoor) !== 1;
        if (isWanted && (readingId === undefined || !seen.has(readingId))) {
          seen.add(readingId);
          readings.push(readElement(element, sensorId));
        }
        if (readings.length <= MOST_READINGS && received <= MOST_IN_ALL) continue;
        const most = `more than ${MOST_READINGS} readings of its sensors, or ${MOST_IN_ALL} in all`;
        throw refuse(`it holds ${most}`, 'Check the address, and ask the provider.');
      }
    }
    return { received, readings };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refuse('this is no JSON array of readings', 'Check the address and its kind.');
  }
}

/** A finite number, given as one or as text. */
function numberOf(given: unknown): number | undefined {
  const number = typeof given === 'string' && given !== '' ? Number(given) : given;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function readElement(element: Fields, sensorId: number): ReadingInput {
  const text = JSON.stringify(element);
  const values = readValues(element.sensordatavalues);
  if (values === undefined || text.length > LONGEST_LINE) {
    return { sensorId, measuredAt: undefined, values: {}, text: text.slice(0, EXCERPT_LENGTH), unreadable: true };
  }
  return { sensorId, measuredAt: utcTime(element.timestamp), values, text };
}

/** Undefined: this is no list of values with their types. */
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

/** `2026-11-20 12:00:00` is a time in UTC. Anything else is returned unchanged and judged when it is accepted. */
function utcTime(given: unknown): unknown {
  return typeof given === 'string' && readInstant(given)?.local === true ? `${given}Z` : given;
}
