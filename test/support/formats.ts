/** The forms in which readings come, as in the composition. */
import { formatsOf } from '../../src/extras/extra.ts';
import { EXTRAS } from '../../src/extras.ts';

export const READING_FORMATS = formatsOf(EXTRAS);
