/** Stamps that lack the second by which a spreadsheet rounded them down (S7). */
import { OWN_FORMAT } from '../../../ingest/formats.ts';
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { ENOUGH } from '../numbers.ts';
import type { SourceFacts } from './facts.ts';
import { hasTimeOfDay, minuteOf, secondOf } from './stampParts.ts';
import type { ReadTime } from './times.ts';

/** Stamps on a full minute that are enough to know a clock by. */
const MOST_MINUTES = 50_000;

/**
 * A share of all stamps. Random seconds are in the last two of a minute, or the first, once in
 * twenty times, so hardly any twenty of them all are.
 */
const LEAST_SHARE = 0.1;

export function makeShortSeconds() {
  /** Stamps on a full minute, and up to two seconds before it. */
  let full = 0;
  let short = 0;
  /** True if a stamp lies elsewhere. */
  let hasOther = false;
  /** True if all lie at a multiple of five minutes. */
  let areOfFive = true;
  /** The first that is short. */
  let example: string | undefined;
  return {
    see({ stamp, isOf24 }: ReadTime): void {
      if (hasOther || isOf24 || full >= MOST_MINUTES || !hasTimeOfDay(stamp)) return;
      const second = secondOf(stamp);
      const isShort = second === 58 || second === 59;
      hasOther = !isShort && second !== 0;
      if (hasOther) return;
      if (isShort) example ??= stamp;
      if (isShort) short += 1;
      else full += 1;
      areOfFive &&= (minuteOf(stamp) + (isShort ? 1 : 0)) % 5 === 0;
    },
    /**
     * A sensor that reports every minute may do so at its last second, so without stamps on the full
     * minute only multiples of five minutes are asked about. Devices and services write the other
     * formats, and no spreadsheet: a PurpleAir that reports about the full minute is often a second
     * early.
     */
    doubts(say: Vocabulary, { format, shift }: SourceFacts): Doubt[] {
      const all = full + short;
      if (hasOther || shift === 0 || format !== OWN_FORMAT) return [];
      if (all < ENOUGH || short < all * LEAST_SHARE) return [];
      if (full < all * LEAST_SHARE && !areOfFive) return [];
      return [
        {
          what: `${short} of ${all} times lie a second or two before a full minute, and the others on it, as a spreadsheet writes them that rounds down, for example ${example}`,
          remedy: `Add ${say.option('round', 'minute')}, or ${say.option('shift', '0min')} if they are right as they are.`,
        },
      ];
    },
  };
}
