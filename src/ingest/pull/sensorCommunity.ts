/**
 * The `data.json` of Sensor.Community: the last five minutes of the whole world in one array. Times are UTC and do not say so, values
 * are text, and a reading may be in it twice.
 */
import type { MetricName } from '../../contract/metrics.ts';
import type { Incoming } from '../batch.ts';
import { LONGEST_LINE } from '../formats/lines.ts';
import { VALUE_TYPES } from '../formats/sensorCommunity.ts';
import { readInstant } from '../instant.ts';

export type PulledDocument = {
  /** How many readings are in it, whoever's they are. */
  received: number;
  /** Ours, each once, from the open air. */
  readings: Incoming[];
};

/** What is kept of one that cannot be taken apart. */
const KEPT = 2_000;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (given: unknown): Fields => Object(given) as Fields;

/** Undefined: the text is no JSON array. Elements that name no sensor of ours are left out, whatever their form. */
export function readSensorCommunity(text: string, isOurs: (sensor: number) => boolean): PulledDocument | undefined {
  const elements = parseArray(text);
  if (elements === undefined) return undefined;
  const seen = new Set<number | undefined>();
  const readings: Incoming[] = [];
  for (const element of elements) {
    const { id, sensor, location } = fieldsOf(element);
    const sensorId = numberOf(fieldsOf(sensor).id);
    if (sensorId === undefined || !isOurs(sensorId) || numberOf(fieldsOf(location).indoor) === 1) continue;
    const readingId = numberOf(id);
    if (readingId !== undefined && seen.has(readingId)) continue;
    seen.add(readingId);
    readings.push(readElement(fieldsOf(element), sensorId));
  }
  return { received: elements.length, readings };
}

/** Of what is a number, or text of one. */
function numberOf(given: unknown): number | undefined {
  const number = typeof given === 'string' && given !== '' ? Number(given) : given;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function readElement(element: Fields, sensorId: number): Incoming {
  const text = textOf(element);
  const values = readValues(element.sensordatavalues);
  if (values === undefined || text === undefined || text.length > LONGEST_LINE) {
    return { sensorId, measuredAt: undefined, values: {}, text: (text ?? '').slice(0, KEPT), unreadable: true };
  }
  return { sensorId, measuredAt: utcTime(element.timestamp), values, text };
}

/** Undefined: they are no list of values with their types. */
function readValues(given: unknown): Incoming['values'] | undefined {
  if (!Array.isArray(given)) return undefined;
  const values: Partial<Record<MetricName, unknown>> = {};
  for (const each of given) {
    const { value_type: type, value } = fieldsOf(each);
    if (typeof type !== 'string') return undefined;
    const metric = VALUE_TYPES.get(type);
    if (metric !== undefined) values[metric] = value;
  }
  return values;
}

/** `2026-11-20 12:00:00` is that time in UTC; whatever is no such time is for the door to judge. */
function utcTime(given: unknown): unknown {
  return typeof given === 'string' && readInstant(given)?.local === true ? `${given}Z` : given;
}

function parseArray(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for one that is nested too deeply to be written again. */
function textOf(element: Fields): string | undefined {
  try {
    return JSON.stringify(element);
  } catch {
    return undefined;
  }
}
