/** Pressure that is reduced to sea level, and so not the station's, by its names (S9). */
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { Format } from '../formats/format.ts';
import type { SeenRow } from './seenRow.ts';
import { wordsOf } from './words.ts';

/** As agencies and instruments name it, in the languages of their files: whole words, and their beginnings. */
const REDUCED =
  /^(?:rel|red|slp?|mslp?|psl|prmsl|pmer|qnh|qff|nn|altimeter|baromrel\w*|(?:relativ|reduc|reduz|redu[ií]t|ridott|привед|относит|հարաբերական|ծով)\p{L}*|mer|mar|mare|meere\p{L}*|моря|sealevel\p{L}*)$/u;
/** Chinese and Japanese have no blanks. */
const REDUCED_PARTS = /海平面|海面|相[对對]/;

/** True for a name of pressure that is reduced to sea level. */
function isReducedPressure(name: string, { reduced = [] }: Format): boolean {
  const words = wordsOf(name.normalize('NFKC'));
  return (
    reduced.includes(name.toLowerCase()) ||
    REDUCED_PARTS.test(name) ||
    words.some((word, at) => REDUCED.test(word) || (word === 'sea' && words[at + 1] === 'level'))
  );
}

/** Names that are asked about. */
const MOST_REDUCED = 20;

export function makeReducedPressure() {
  const reduced = new Set<string>();
  const note = (names: readonly string[], format: Format) => {
    const name = names.find((one) => isReducedPressure(one, format));
    if (name !== undefined && reduced.size < MOST_REDUCED) reduced.add(name);
  };
  return {
    /** `isFirst`: it is the first row of its plan. */
    see({ format, plan, named }: SeenRow, isFirst: boolean): void {
      for (const { field, column, names = [field] } of named)
        if (column === 'pressure') note(names, format);
      if (!isFirst) return;
      for (const { parameter, columns } of plan.values)
        if (parameter === 'pressure')
          note(
            columns.map(({ field }) => field),
            format,
          );
    },
    /** Such pressure is never stored as the station's. */
    doubts: (say: Vocabulary): Doubt[] =>
      [...reduced].map((name) => ({
        what: `${name} says that it is pressure reduced to sea level, not the station's own`,
        remedy: `Take the absolute pressure instead, as in ${say.option('column', 'pressure=NAME')}, or leave this one out: pressure of sea level is not stored.`,
        stops: 'always',
      })),
  };
}
