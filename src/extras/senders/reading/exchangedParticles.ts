/** Recognizes PM2.5 and PM10 in each other's columns: PM10 has all of PM2.5 in it (S8). */
import { numberOf } from '../../../ingest/numbers.ts';
import { type Doubt, ENOUGH } from '../../../ingest/reading/doubt.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { SourceFacts } from './facts.ts';
import { asTheyAre } from './otherUnits.ts';

/** In µg/m³: more is the mark of a fault, and is left out by itself (S1). */
const MOST_PARTICLES = 2_000;

/** One row, or nine of ten, may have it the other way round by noise. */
export function makeExchangedParticles({ declared }: SourceFacts) {
  let isPossible = !declared.has('pm25') && !declared.has('pm10');
  let rows = 0;
  return {
    see({ values }: ReadingInput): void {
      if (!isPossible) return;
      const fine = numberOf(values.pm25 ?? values.pm25_raw);
      const all = numberOf(values.pm10);
      if (fine === undefined || all === undefined || fine > MOST_PARTICLES) return;
      isPossible = fine > all;
      rows += 1;
    },
    doubts: (say: Vocabulary): Doubt[] =>
      isPossible && rows >= ENOUGH
        ? [
            {
              what: `PM2.5 is above PM10 in each of ${rows} rows, which cannot be: the columns were exchanged`,
              remedy: `Map each to the right name with ${say.option('column')}, or add ${asTheyAre('pm10', say)} if two instruments measured them so.`,
            },
          ]
        : [],
  };
}
