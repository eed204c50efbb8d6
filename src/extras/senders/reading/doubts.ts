/** All doubts about a source, one policy a file (S7, S8, S9). */

import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { halfDayDoubts, shortSecondDoubts } from './clockDoubts.ts';
import { dividingDoubts } from './dividing.ts';
import { endDoubts } from './ends.ts';
import { implausibleValues } from './implausibleValues.ts';
import type { SourceNotes } from './notes.ts';
import { otherZones } from './otherZone.ts';
import { reducedPressure } from './place.ts';
import { unsaidUnits } from './unsaidUnits.ts';
import { verdictDoubts } from './verdicts.ts';

/**
 * The doubts about a source, the gravest first. `readings`: as many of them as are looked at; none
 * where only the notes are to be judged.
 */
export const doubtsOf = (
  notes: SourceNotes,
  readings: readonly ReadingInput[],
  say: Vocabulary,
): Doubt[] => [
  ...dividingDoubts(notes.dividing, say),
  ...reducedPressure(notes, say),
  ...unsaidUnits(notes, readings, say),
  ...implausibleValues(readings, notes, say),
  ...otherZones(notes, say),
  ...halfDayDoubts(notes, say),
  ...endDoubts(notes, say),
  ...shortSecondDoubts(notes, say),
  ...verdictDoubts(notes.verdicts, say),
];
