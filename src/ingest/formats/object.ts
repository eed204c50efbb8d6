/** A JSON object as a reading, and how deep it may be nested. */
import type { ReadingInput } from '../batch.ts';

/** `text` is what of it is kept if it cannot be used, `line` where it stood in its source. */
export function readingOf(value: unknown, text: string, line: number): ReadingInput {
  if (!isObject(value)) return unreadable(text, line);
  const time = TIME_KEYS.find((key) => value[key] !== undefined) ?? 'time';
  return { sensorId: value[SENSOR_KEY], measuredAt: value[time], values: value, text, line };
}

export function unreadable(text: string, line: number): ReadingInput {
  return { sensorId: undefined, measuredAt: undefined, values: {}, text, line, unreadable: true };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A reading has no nested value at all, one of a feed has three levels. */
export const DEEPEST = 32;

/** Whether brackets are opened in brackets more than DEEPEST times. The text need not be JSON. */
export function isTooDeep(text: string): boolean {
  if (!text.includes('[') && !text.includes('{', 1)) return false; // most readings
  let [depth, inString] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (character === ']' || character === '}') {
      depth -= 1;
    }
  }
  return false;
}

/** What a reading's fields are called in files, besides the parameters. */
export const SENSOR_KEY = 'sensor_id';
/** The first one present counts. */
export const TIME_KEYS = ['measured_at', 'time', 'timestamp'] as const;
