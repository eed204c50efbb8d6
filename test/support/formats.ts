/** The forms in which readings come, as in the composition. */
import { formatsOf } from '../../src/extras/extra.ts';
import { EXTRAS } from '../../src/extras.ts';
import { canonical } from '../../src/ingest/canonical.ts';

export const READING_FORMATS = formatsOf(EXTRAS);

/** Our own form alone, without doubts: random values contradict each other more often than a file does. */
export const WITHOUT_DOUBTS: typeof canonical = {
  ...canonical,
  async *readReadings(...given) {
    for await (const { found, ...batch } of canonical.readReadings(...given))
      yield { ...batch, found: { ...found, doubts: { ...found.doubts, of: () => [] } } };
  },
};
