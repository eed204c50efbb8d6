/**
 * Stamps of another clock than their zone's (S7): in an hour that the zone's clocks skip, or in a
 * column whose name says another offset. And stamps in an hour that the clocks go through twice,
 * where the order of the lines does not tell the pass.
 */
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { SourceNotes } from './notes.ts';

export const otherZones = (
  { clock: { skipped, undecided, otherOffset } }: Pick<SourceNotes, 'clock'>,
  say: Vocabulary,
): Doubt[] => {
  const doubts: Doubt[] = [];
  if (otherOffset !== undefined) {
    const { column, said, stamp, used } = otherOffset;
    doubts.push({
      what:
        used === undefined
          ? `column ${column} says the offset ${said} of its times, and no zone is declared`
          : `column ${column} says the offset ${said} of its times, and ${stamp} would be read with ${used}`,
      remedy: `Write ${say.option('zone', said)}${used === undefined ? '' : ', or give the column another name if it is wrong'}.`,
    });
  }
  if (skipped !== undefined) {
    const { stamp, zone, offset } = skipped;
    doubts.push({
      what: `${stamp} is in an hour that the clocks of ${zone} skip: its source seems to keep winter time all year`,
      remedy: `Write ${say.option('zone', offset)} if it does, or leave such rows out.`,
    });
  }
  const [one] = undecided.values();
  if (one !== undefined) {
    const { sensor, stamp, zone, either } = one;
    const whose = sensor === 'undefined' ? '' : ` of ${sensor}`;
    doubts.push({
      what: `${stamp}${whose} is in an hour that the clocks of ${zone} go through twice, and the order of the lines does not tell which time it is`,
      remedy: `Write the times of that hour with their offset, as ${either.join(' or ')}, put the lines in the order of time, or leave out lines that stand twice.`,
      stops: 'always',
    });
  }
  return doubts;
};
