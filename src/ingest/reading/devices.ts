/**
 * Writes a device's reading as text in our names and units, and reads it back from the quarantine
 * unchanged.
 */
import { READING_COLUMNS, type ReadingColumn } from '../../contract/parameters.ts';
import { isObject } from '../rows/json.ts';
import type { ReadingInput } from './reading.ts';

export function textOfDevice(reading: ReadingInput): string {
  const { device, measuredAt, values, hasArrivalTime, isCorrected } = reading;
  const ours = READING_COLUMNS.flatMap(({ name }) => {
    const value = values[name as ReadingColumn];
    return value === undefined ? [] : [[name, value]];
  });
  return JSON.stringify({
    device,
    measured_at: measuredAt,
    ...(hasArrivalTime && { time: 'server' }),
    ...(isCorrected && { corrected: true }),
    ...Object.fromEntries(ours),
  });
}

/** The device that a line of the quarantine names; undefined: it names none. */
export function deviceNamedIn(text: string): string | undefined {
  try {
    const given: unknown = JSON.parse(text);
    return isObject(given) && typeof given.device === 'string' ? given.device : undefined;
  } catch {
    return undefined;
  }
}

/** The reading that textOfDevice wrote; undefined for any other text. */
export function deviceFromText(text: string): (ReadingInput & { device: string }) | undefined {
  if (!text.startsWith('{"device":')) return undefined;
  try {
    const given: unknown = JSON.parse(text);
    if (!isObject(given) || typeof given.device !== 'string' || 'sensordatavalues' in given)
      return undefined;
    return {
      sensorId: undefined,
      device: given.device,
      measuredAt: given.measured_at,
      values: given,
      text,
      ...(given.time === 'server' && { hasArrivalTime: true as const }),
      ...(given.corrected === true && { isCorrected: true as const }),
    };
  } catch {
    return undefined;
  }
}
