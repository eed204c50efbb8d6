/** A reading as a JSON object, whether it stood on a line of a file or in the body of a request. */
import type { Incoming } from '../batch.ts';
import { SENSOR_KEY, TIME_KEYS } from './names.ts';

/** `text` is what of it is kept if it cannot be used, `line` where it stood in its source. */
export function readingOf(value: unknown, text: string, line: number): Incoming {
  if (!isObject(value)) return unreadable(text, line);
  const time = TIME_KEYS.find((key) => value[key] !== undefined) ?? 'time';
  return { sensorId: value[SENSOR_KEY], measuredAt: value[time], values: value, text, line };
}

export function unreadable(text: string, line: number): Incoming {
  return { sensorId: undefined, measuredAt: undefined, values: {}, text, line, unreadable: true };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
