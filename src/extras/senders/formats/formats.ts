/**
 * All formats. A sender whose rows only have other names is an entry of sources.json, with a
 * sample in test/extras/senders/formats; a format with logic of its own is a file here.
 */
import { createRequire } from 'node:module';
import { InputError } from '../../../base/inputError.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import { airqualityAm } from './airqualityAm.ts';
import { airseries } from './airseries.ts';
import { formatsOf } from './entry.ts';
import type { Format } from './format.ts';
import { homeAssistant } from './homeAssistant.ts';
import { purpleair } from './purpleair.ts';
import { sensorCommunity } from './sensorCommunity.ts';

const ENTRIES = formatsOf(createRequire(import.meta.url)('./sources.json'));

/** The first that recognizes a row counts; the last recognizes any. */
export const FORMATS: readonly Format[] = [
  ...airqualityAm,
  purpleair,
  sensorCommunity,
  homeAssistant,
  ...ENTRIES,
  airseries,
];

/** Each name once. */
export const FORMAT_NAMES: readonly string[] = [...new Set(FORMATS.map(({ name }) => name))].sort();

export const isOwn = ({ name }: Pick<Format, 'name'>): boolean => name === airseries.name;

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
