/**
 * Stamps of another clock than their zone's (S7): in an hour that the zone's clocks skip, or in a
 * column whose name says another offset.
 */
import type { Doubt } from './doubt.ts';
import type { SourceNotes } from './notes.ts';
import type { Vocabulary } from './vocabulary.ts';

export const otherZones = (
  { clock: { skipped, otherOffset } }: Pick<SourceNotes, 'clock'>,
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
  return doubts;
};
