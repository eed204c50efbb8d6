/**
 * Stamps of another clock than their zone's (S7): in an hour that the zone's clocks skip, or in a
 * column whose name says another offset. And stamps in an hour that the clocks go through twice,
 * where the order of the lines does not tell the pass.
 */
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import { isLocal } from '../../../ingest/reading/instants.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { Observers } from './localTime.ts';
import type { TimeColumn } from './timeColumn.ts';
import type { ReadTime } from './times.ts';

/** `either`: the stamp with the offset of the one pass, and of the other. */
type UndecidedStamp = { sensor: string; stamp: string; zone: string; either: readonly string[] };

export function makeOtherZone() {
  /** The first stamp in an hour that is skipped, and the offset until then. */
  let skipped: { stamp: string; zone: string; offset: string } | undefined;
  /** At most one stamp for each sensor and hour that occurred twice. */
  const undecided = new Map<string, UndecidedStamp>();
  /** The first stamp whose offset is not the one that the name of its column says. */
  let otherOffset: ReturnType<typeof compared>;
  return {
    /** Receives the stamps in hours that the clocks of a zone skip, or go through twice. */
    observersOf: (zone: string): Observers => ({
      onSkipped(stamp, offset) {
        skipped ??= { stamp, zone, offset };
      },
      onUndecided(sensor, hour, stamp, either = []) {
        const slot = `${sensor} ${hour}`;
        if (stamp === undefined) undecided.delete(slot);
        else if (!undecided.has(slot)) undecided.set(slot, { sensor, stamp, zone, either });
      },
    }),
    see(column: TimeColumn, time: ReadTime): void {
      if (column.offset !== undefined) otherOffset ??= compared(column, column.offset, time);
    },
    doubts: (say: Vocabulary): Doubt[] => {
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
    },
  };
}

/** The offset that the name of a column says, if the zone has another one for the stamp. */
function compared({ name }: TimeColumn, said: string, { stamp, exact }: ReadTime) {
  if (!isLocal(stamp)) return undefined;
  const [, used] = OFFSET.exec(exact ?? '') ?? [];
  if (exact !== undefined && (used === undefined || used.replace('Z', '+00:00') === said))
    return undefined;
  return { column: name, said, stamp, used };
}

const OFFSET = /:\d\d(Z|[-+]\d\d:\d\d)$/;
