/** NDJSON: one object a line. Keys may differ from line to line, so what is ignored shows only on the way. */
import { PARAMETER_NAMES } from '../../contract/parameters.ts';
import type { ReadingInput } from '../batch.ts';
import type { Line } from './lines.ts';
import { isObject, isTooDeep, readingOf, SENSOR_KEY, TIME_KEYS, unreadable } from './object.ts';
import type { LineReader } from './readings.ts';

const KNOWN: ReadonlySet<string> = new Set([SENSOR_KEY, ...TIME_KEYS, ...PARAMETER_NAMES]);
/** So many strange keys are remembered; a file may have a new one on every line. */
const REMEMBERED = 100;

export function ndjsonReader(): LineReader {
  const ignored = new Set<string>();
  const read = ({ number, text, tooLong }: Line): ReadingInput => {
    const value = tooLong ? undefined : parsed(text);
    if (!isObject(value)) return unreadable(text, number);
    for (const key in value) if (!KNOWN.has(key) && ignored.size < REMEMBERED) ignored.add(key);
    return readingOf(value, text, number);
  };
  return { ignored, read };
}

function parsed(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
