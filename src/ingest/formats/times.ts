/** Times as senders write them, turned into ISO 8601 with an offset where that can be told; validation judges the result. */
import { InputError } from '../../inputError.ts';
import { makeOffsetAdder } from '../localTime.ts';
import { instantText, readInstant } from '../validate.ts';
import type { Format } from './fields.ts';
import type { Profile } from './profiles.ts';

/** March 1973 (nine digits: a date such as 20261120 is none) to 2100, in seconds since 1970; a thousand times as much is milliseconds. */
const [EARLIEST, LATEST] = [100_000_000, 4_102_444_800];
const UNIX_TIME = /^\d{9,13}(?:\.\d{1,9})?$/;

/** Seconds or milliseconds since 1970, told by their magnitude, as ISO 8601; undefined if it is neither. */
function instantOfUnixTime(given: unknown): string | undefined {
  const number = typeof given === 'string' && UNIX_TIME.test(given) ? Number(given) : given;
  if (typeof number !== 'number') return undefined;
  const seconds = number > LATEST ? number / 1_000 : number;
  if (!(seconds >= EARLIEST && seconds <= LATEST)) return undefined;
  return Number.isInteger(number) && Number.isInteger(seconds)
    ? new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
    : instantText(Math.round(seconds * 1e6));
}

/** `2026/11/20T08:00:00z` and `2026-11-20 08:00:00 UTC`, as PurpleAir writes them. */
const plainStamp = (text: string): string =>
  (/^\d{4}\/\d\d\/\d\d/.test(text) ? text.replace('/', '-').replace('/', '-') : text).replace(/ UTC$/, 'Z');

const isStamp = (given: unknown): given is string =>
  typeof given === 'string' && given.charCodeAt(4) === 45 /* - */ && !given.endsWith('C');

/**
 * Returns a function from what stands for the time, and its sensor, to a stamp. Call it in the order of the source, because of two hours of
 * an autumn night the order tells which (see makeOffsetAdder). Throws InputError for an unknown time zone.
 */
export function makeTimeReader(
  { zone }: Pick<Profile, 'zone'>,
  { zone: declared, timeZone }: Format,
): (given: unknown, sensor: unknown) => unknown {
  const local = declared ?? (zone === 'network' ? timeZone : zone);
  const addOffset = local === undefined ? undefined : local === 'UTC' ? addUtc : offsetAdder(local);
  return (given, sensor) => {
    const stamp = isStamp(given)
      ? given
      : (instantOfUnixTime(given) ?? (typeof given === 'string' ? plainStamp(given) : given));
    return addOffset === undefined || typeof stamp !== 'string' ? stamp : addOffset(stamp, String(sensor));
  };
}

const addUtc = (stamp: string): string => (readInstant(stamp)?.local === true ? `${stamp}Z` : stamp);

function offsetAdder(zone: string) {
  try {
    return makeOffsetAdder(zone);
  } catch {
    throw new InputError('--zone', `there is no time zone "${zone}"`, 'Write its IANA name, such as Europe/Berlin.');
  }
}
