/**
 * Gives stamps without an offset the one that the network's zone had then. An hour that the clocks skipped gets none, so that the door
 * finds its time unreadable. In an hour that they showed twice, the lines of a sensor are taken to be in order of time: the second
 * pass begins where their stamps no longer go forward. (Of a sensor with one line in such an hour nobody can know; it is the first.)
 */
import { makeLocalOffsets } from '../time.ts';

const DATE = '2026-11-20'.length;
const HOUR = '2026-11-20 12'.length;

type Pass = { stamp: string; second: boolean };

/** A function from a stamp and the sensor it belongs to, to a stamp with an offset. */
export function makeWallClock(timeZone: string): (stamp: string, sensor: string) => string {
  const offsetsOf = makeLocalOffsets(timeZone);
  const passes = new Map<string, Pass>();

  const isSecondPass = (stamp: string, sensor: string): boolean => {
    const before = passes.get(sensor);
    const second = before?.stamp.slice(0, HOUR) === stamp.slice(0, HOUR) && (before.second || stamp <= before.stamp);
    passes.set(sensor, { stamp, second });
    return second;
  };

  return (stamp, sensor) => {
    const full = stamp.length === DATE ? `${stamp} 00:00:00` : stamp;
    if (hasOffset(full)) return full;
    const [first, other] = offsetsOf(full.slice(0, HOUR));
    if (first === undefined) return full;
    return full + (other !== undefined && isSecondPass(full, sensor) ? other : first);
  };
}

/** Something of an offset after the first colon: between the hour and the end. */
function hasOffset(stamp: string): boolean {
  const colon = stamp.indexOf(':');
  return colon >= 0 && /[Zz+-]/.test(stamp.slice(colon));
}
