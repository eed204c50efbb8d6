/**
 * Writes a device's reading as text in our names and units, and reads it back from the quarantine
 * unchanged.
 */
import { PARAMETER_NAMES } from '../../contract/parameters.ts';
import { isObject } from '../rows/json.ts';
import type { ReadingInput } from './reading.ts';

export function textOfDevice({ device, measuredAt, values }: ReadingInput): string {
  const ours = PARAMETER_NAMES.flatMap((name) =>
    values[name] === undefined ? [] : [[name, values[name]]],
  );
  return JSON.stringify({ device, measured_at: measuredAt, ...Object.fromEntries(ours) });
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
    };
  } catch {
    return undefined;
  }
}
