/**
 * Stamps of which a part is missing (S7): the half of the day, or the second by which a spreadsheet
 * rounded them down.
 */
import { OWN_FORMAT } from '../formats/formats.ts';
import { type Doubt, ENOUGH } from './doubt.ts';
import type { SourceNotes } from './notes.ts';
import type { Vocabulary } from './vocabulary.ts';

/** No hour is above 12 or below 1, and the clock turns back, or times occur twice. */
export function halfDayDoubts(
  { clock: { halfDays }, contradictions }: Pick<SourceNotes, 'clock' | 'contradictions'>,
  say: Vocabulary,
): Doubt[] {
  if (halfDays === undefined) return [];
  const { turn, has12 } = halfDays;
  if (turn === undefined && !(has12 && contradictions.contradicting > 0)) return [];
  const evidence =
    turn === undefined ? 'the same times occur twice' : `${turn[1]} follows ${turn[0]}`;
  return [
    {
      what: `no time is after 12 o'clock, and ${evidence}: a clock of twelve hours without AM or PM`,
      remedy: `Join the column that says which half of the day it is, as in ${say.option('column', 'time=Date+Time+AM/PM')}, or write times of 24 hours.`,
    },
  ];
}

/**
 * A share of all stamps. Random seconds are in the last two of a minute, or the first, once in
 * twenty times, so hardly any twenty of them all are.
 */
const LEAST_SHARE = 0.1;

/**
 * A sensor that reports every minute may do so at its last second, so without stamps on the full
 * minute only multiples of five minutes are asked about. Devices and services write the other
 * formats, and no spreadsheet: a PurpleAir that reports about the full minute is often a second
 * early.
 */
export function shortSecondDoubts(
  { clock: { minutes, shift }, format }: Pick<SourceNotes, 'clock' | 'format'>,
  say: Vocabulary,
): Doubt[] {
  if (minutes === undefined || shift === 0 || format !== OWN_FORMAT) return [];
  const { full, short, areOfFive, example } = minutes;
  const all = full + short;
  if (all < ENOUGH || short < all * LEAST_SHARE) return [];
  if (full < all * LEAST_SHARE && !areOfFive) return [];
  return [
    {
      what: `${short} of ${all} times lie a second or two before a full minute, and the others on it, as a spreadsheet writes them that rounds down, for example ${example}`,
      remedy: `Add ${say.option('round', 'minute')}, or ${say.option('shift', '0min')} if they are right as they are.`,
    },
  ];
}
