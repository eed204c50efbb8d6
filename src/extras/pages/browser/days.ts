/**
 * Where the days of a year stand in a calendar of weeks, which begin on Monday. Without a browser's
 * parts, so the server imports it, which leaves room for the calendar.
 */

export const STEP = 15;
export const TOP = 20;
export const WIDTH = 54 * STEP;
export const HEIGHT = TOP + 7 * STEP + 2;

/** The view boxes of a calendar's two pictures. */
export const PLACE = { weekdays: `0 0 36 ${HEIGHT}`, days: `0 0 ${WIDTH} ${HEIGHT}` };

export type PlacedDay = { date: string; week: number; weekday: number };

const DAY_MS = 86_400_000;

/** Every day of a year, with its week from 0 and its weekday from 0, Monday. */
export function placeDays(year: number): PlacedDay[] {
  const first = Date.UTC(year, 0, 1);
  const offset = (new Date(first).getUTCDay() + 6) % 7;
  const count = (Date.UTC(year + 1, 0, 1) - first) / DAY_MS;
  return Array.from({ length: count }, (_, n) => ({
    date: new Date(first + n * DAY_MS).toISOString().slice(0, 10),
    week: Math.floor((n + offset) / 7),
    weekday: (n + offset) % 7,
  }));
}

/** The part of a calendar that a year has from a week on, as far from the left as all years. */
export const viewFrom = (week: number): string => `${week * STEP} 0 ${WIDTH} ${HEIGHT}`;

/** The days that begin a month. */
export const monthStarts = (days: readonly PlacedDay[]): PlacedDay[] =>
  days.filter(({ date }) => date.endsWith('-01'));

/** How many days the keys of an arrow move by: weeks stand beside each other. */
export const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  ArrowLeft: -7,
  ArrowRight: 7,
};
