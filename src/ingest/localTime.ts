/** What a clock on the wall meant: the offsets from UTC that a zone's local hours had. Kept per hour, for files have many lines in each. */

const DAY_MS = 86_400_000;
const HOUR = /^\d{4}-\d\d-\d\d[ T]\d\d$/;
/** Eleven years of hours. */
const REMEMBERED = 100_000;

/** Clocks change on full hours of theirs (rule Z1), so all of a local hour has the same ones. */
export type LocalOffsets = (hour: string) => readonly string[];

/**
 * Of a local hour such as `2026-10-25 01` its offsets, such as `+01:00`: one, none if the clocks skipped it, and two, the earlier
 * first, if they showed it twice.
 */
export function makeLocalOffsets(timeZone: string): LocalOffsets {
  const clock = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (instant: number) =>
    clock
      .formatToParts(instant)
      .find(({ type }) => type === 'timeZoneName')
      ?.value.slice('GMT'.length) || '+00:00';
  const find = (hour: string): string[] => {
    if (!HOUR.test(hour)) return [];
    const local = `${hour.replace(' ', 'T')}:00`;
    const near = Date.parse(`${local}Z`);
    if (Number.isNaN(near)) return [];
    // it is within a day of the instant, whatever the offset, and no zone changes its clocks twice in two days
    const candidates = new Set([offsetAt(near - DAY_MS), offsetAt(near + DAY_MS)]);
    return [...candidates].filter((offset) => offsetAt(Date.parse(`${local}${offset}`)) === offset);
  };

  const known = new Map<string, readonly string[]>();
  return (hour) => {
    const before = known.get(hour);
    if (before !== undefined) return before;
    if (known.size === REMEMBERED) known.clear();
    const found = find(hour);
    known.set(hour, found);
    return found;
  };
}
