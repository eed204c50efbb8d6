/** Stamps that name the end of an interval: a mean must carry its start (S3). */
import type { Doubt } from './doubt.ts';
import type { SourceNotes } from './notes.ts';
import type { Vocabulary } from './vocabulary.ts';

export const endDoubts = ({ namesEnd }: Pick<SourceNotes, 'namesEnd'>, say: Vocabulary): Doubt[] =>
  namesEnd
    ? [
        {
          what: 'its stamps name the end of each interval, and no column says how long that is',
          remedy: `Write ${say.option('shift', '-1h')} for means of an hour, ${say.option('shift', '-10min')} for means of ten minutes, or ${say.option('shift', '0min')} for readings of an instant.`,
        },
      ]
    : [];
