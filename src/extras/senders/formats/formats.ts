/**
 * All formats. A new one is a file beside this one, a line here, a line in README.md, and a sample
 * in test/extras/senders/formats.
 */
import { InputError } from '../../../base/inputError.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import { airgradient } from './airgradient.ts';
import { airqualityAm } from './airqualityAm.ts';
import { airseries } from './airseries.ts';
import { chirpstack } from './chirpstack.ts';
import { ecowitt } from './ecowitt.ts';
import type { Format } from './format.ts';
import { homeAssistant } from './homeAssistant.ts';
import { openaq } from './openaq.ts';
import { purpleair } from './purpleair.ts';
import { sensorCommunity } from './sensorCommunity.ts';
import { smartCitizen } from './smartCitizen.ts';
import { thingspeak } from './thingspeak.ts';
import { ttn } from './ttn.ts';
import { weewx } from './weewx.ts';

/** The first that recognizes a row counts; the last recognizes any. */
export const FORMATS: readonly Format[] = [
  ...airqualityAm,
  purpleair,
  openaq,
  ttn,
  chirpstack,
  airgradient,
  sensorCommunity,
  thingspeak,
  smartCitizen,
  homeAssistant,
  weewx,
  ecowitt,
  airseries,
];

/** Each name once. */
export const FORMAT_NAMES: readonly string[] = [...new Set(FORMATS.map(({ name }) => name))].sort();

export const isOwn = (format: Format): boolean => format === airseries;

/**
 * The format of this name, or the one that recognizes the row; of several of a name, the one that
 * does or else the last. Throws InputError for an unknown name.
 */
export function chooseFormat(name: string | undefined, row: Row): Format {
  const candidates = FORMATS.filter((format) => name === undefined || format.name === name);
  const chosen = candidates.find((format) => format.recognizes(row)) ?? candidates.at(-1);
  if (chosen !== undefined) return chosen;
  throw new InputError(
    '--format',
    `there is no format "${name}"`,
    `There are: ${FORMAT_NAMES.join(', ')}.`,
  );
}
