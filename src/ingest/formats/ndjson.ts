/** NDJSON: one object a line. Keys may differ from line to line, so what is ignored shows only on the way. */
import { METRIC_NAMES } from '../../contract/metrics.ts';
import type { Incoming } from '../batch.ts';
import type { Line } from './lines.ts';
import { SENSOR_KEY, TIME_KEYS } from './names.ts';
import type { LineReader } from './readings.ts';

const KNOWN: ReadonlySet<string> = new Set([SENSOR_KEY, ...TIME_KEYS, ...METRIC_NAMES]);
/** So many strange keys are remembered; a file may have a new one on every line. */
const REMEMBERED = 100;

export function ndjsonReader(): LineReader {
  const ignored = new Set<string>();
  const read = ({ number, text, tooLong }: Line): Incoming => {
    const object = tooLong ? undefined : parseObject(text);
    if (object === undefined) {
      return { sensorId: undefined, measuredAt: undefined, values: {}, text, line: number, unreadable: true };
    }
    for (const key in object) if (!KNOWN.has(key) && ignored.size < REMEMBERED) ignored.add(key);
    const time = TIME_KEYS.find((key) => object[key] !== undefined) ?? 'time';
    return { sensorId: object[SENSOR_KEY], measuredAt: object[time], values: object, text, line: number };
  };
  return { ignored, read };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
