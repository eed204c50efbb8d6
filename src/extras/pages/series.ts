/**
 * The points of a history by time, with the gaps between them, and what is said of
 * each. Shared with the browser, so it imports nothing of the service.
 */
import { formatBare, formatBoth, formatDate, type Quantity, shownAs } from './format.ts';
import { formatNumber, formatTime } from './numbers.ts';

/** A point of a history document. */
export type Point = {
  readonly timestamp: string;
  readonly [key: string]: string | number | readonly [number, number] | null | undefined;
};

export type Unit = 'hour' | 'day' | 'month';

/** A window of the history: its key, its buckets and how many they are. */
export type HistoryWindow = { key: string; unit: Unit; count: number };

/** The points of each window, by its key. */
export type Windows = Readonly<Record<string, readonly Point[]>>;

/** The newest time with values: an hour, or the start of a day or month. */
export const newestTime = (windows: Windows): string | undefined =>
  Object.values(windows).flatMap((points) => points.at(-1)?.timestamp ?? [])[0];

/** The series of the index, which no sensor measures. */
export const AQI: Quantity = { key: 'aqi', unit: 'AQI', digits: 0 };

/** A point, or where one is missing. */
export type Bucket = { timestamp: string; point: Point | undefined };

const nameOf = ({ key }: Quantity) => key.replace('pm2.5', 'pm25');

/** Rain is summed; the index has no average of its own. */
function fieldOf(quantity: Quantity): string {
  if (quantity.key === 'rain') return 'total_rain';
  return quantity.key === 'aqi' ? 'aqi' : `avg_${nameOf(quantity)}`;
}

export function measuredValue(point: Point | undefined, quantity: Quantity): number | null {
  const value = point?.[fieldOf(quantity)];
  return typeof value === 'number' ? value : null;
}

/** The lowest and the highest hour, where days and months publish them. */
export function rangeOf(
  point: Point | undefined,
  quantity: Quantity,
): readonly [number, number] | null {
  const name = nameOf(quantity);
  const range = point?.[`range_${name}`];
  if (typeof range === 'object' && range !== null) return range;
  const low = point?.[`min_${name}`];
  const high = point?.[`max_${name}`];
  return typeof low === 'number' && typeof high === 'number' ? [low, high] : null;
}

/**
 * The series that have a value anywhere: PM2.5 first, then the index. A direction is drawn with the
 * speed.
 */
export function measuredQuantities(
  all: readonly Quantity[],
  windows: readonly (readonly Point[])[],
): Quantity[] {
  const points = windows.flat();
  const has = (quantity: Quantity) => points.some((one) => measuredValue(one, quantity) !== null);
  const named = (name: string) => all.filter(({ key }) => key === name);
  const others = all.filter(({ key }) => key !== 'pm2.5' && key !== 'wind_direction');
  return [...named('pm2.5'), AQI, ...others].filter(
    (one) => has(one) || (one.key === 'wind_speed' && named('wind_direction').some(has)),
  );
}

const HOUR_MS = 3_600_000;
const offsetOf = (timestamp: string) => timestamp.slice(19);

/** `instant` as a local time with the offset of another one. */
export function localTime(instant: number, like: string): string {
  const sign = like[19] === '-' ? -1 : 1;
  const minutes = sign * (Number(like.slice(20, 22)) * 60 + Number(like.slice(23, 25)));
  return `${new Date(instant + minutes * 60_000).toISOString().slice(0, 19)}${offsetOf(like)}`;
}

/** The date `count` days or months after another, which for months is the first of one. */
export function dateAfter(date: string, unit: 'day' | 'month', count = 1): string {
  const at = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  if (unit === 'day') at.setUTCDate(at.getUTCDate() + count);
  else at.setUTCMonth(at.getUTCMonth() + count);
  return at.toISOString().slice(0, 10);
}

function next(timestamp: string, unit: Unit): string {
  if (unit === 'hour') return localTime(Date.parse(timestamp) + HOUR_MS, timestamp);
  return `${dateAfter(timestamp, unit)}T00:00:00${offsetOf(timestamp)}`;
}

/**
 * Hours by their instant, since the clocks may show one twice; days and months by their date, since
 * some begin at 01:00.
 */
const orderOf = (timestamp: string, unit: Unit) =>
  unit === 'hour' ? Date.parse(timestamp) : Date.parse(timestamp.slice(0, 10));

/**
 * All buckets from the first point to the last, and from there to the present, as long as that
 * makes no more than the window has: `now` is another machine's clock.
 */
export function fillGaps(
  points: readonly Point[],
  { unit, count }: Omit<HistoryWindow, 'key'>,
  now: number,
): Bucket[] {
  const missing = (
    after: Point | undefined,
    isMissing: (at: string, n: number) => boolean,
  ): Bucket[] => {
    const found: Bucket[] = [];
    let at = after && next(after.timestamp, unit);
    for (; at !== undefined && isMissing(at, found.length); at = next(at, unit))
      found.push({ timestamp: at, point: undefined });
    return found;
  };
  const buckets = points.flatMap((point, n) => [
    ...missing(points[n - 1], (at) => orderOf(at, unit) < orderOf(point.timestamp, unit)),
    { timestamp: point.timestamp, point },
  ]);
  const recent = missing(
    points.at(-1),
    (at, n) => isPast(at, unit, now) && buckets.length + n <= count,
  );
  return buckets.length + recent.length <= count ? [...buckets, ...recent] : buckets;
}

/** True if a bucket is due: the hour or day is over, or the month has begun. */
const isPast = (at: string, unit: Unit, now: number) =>
  Date.parse(unit === 'month' ? at : next(at, unit)) <= now;

/** True for the current month, whose mean covers the hours so far. */
export const isRunning = (timestamp: string, unit: Unit, now: number): boolean =>
  unit === 'month' && Date.parse(timestamp) <= now && Date.parse(next(timestamp, unit)) > now;

/** A period in which a station was flagged. */
export type Flag = { kind: string; since: string | null; until: string | null };

/**
 * True if its particles are suspect in a bucket: in any part of an hour (C9), or in half of a day
 * or month.
 */
export function isSuspectIn(
  timestamp: string,
  flags: readonly Flag[],
  unit: Unit = 'hour',
): boolean {
  const start = Date.parse(timestamp);
  const end = Date.parse(next(timestamp, unit));
  const instant = (time: string | null, open: number) => (time === null ? open : Date.parse(time));
  return flags.some(({ kind, since, until }) => {
    const from = Math.max(start, instant(since, start));
    const length = Math.min(end, instant(until, end)) - from;
    return kind === 'pm' && length > 0 && (unit === 'hour' || length >= (end - start) / 2);
  });
}

/** Particles, and the index that is computed from them. */
export const isOfParticles = ({ key }: Quantity): boolean =>
  key.startsWith('pm') || key === AQI.key;

/** `20 Nov, 13:00`, `20 Nov` or `Nov 2026`. */
export const formatBucket = (locale: string, timestamp: string, unit: Unit): string =>
  unit === 'hour' ? formatTime(locale, timestamp) : formatDate(locale, timestamp, unit);

/** `12.3 µg/m³ (8.1–20.4)`; for a gap what that is called. */
export function describeValue(
  locale: string,
  point: Point | undefined,
  quantity: Quantity,
  gap: string,
): string {
  const value = measuredValue(point, quantity);
  if (value === null) return gap;
  const range = rangeOf(point, quantity);
  const text = formatBoth(locale, value, quantity);
  return range === null ? text : `${text} (${formatRange(locale, range, quantity)})`;
}

export const formatRange = (
  locale: string,
  range: readonly [number, number],
  quantity: Quantity,
): string => range.map((end) => formatBare(locale, end, quantity)).join('–');

/** A value on an axis, with as many decimals as its step has. */
export function formatTick(
  locale: string,
  value: number,
  step: number,
  { unit }: Quantity,
): string {
  const shownStep = shownAs(unit, step);
  const isEnough = (digits: number) =>
    Math.abs(Number(shownStep.toFixed(digits)) - shownStep) < 1e-6;
  return formatNumber(locale, shownAs(unit, value), [0, 1].find(isEnough) ?? 2);
}

/** Where an axis says the time: at hours of the day, midnights, days or months, as many as fit. */
export function ticksOf(
  locale: string,
  buckets: readonly Bucket[],
  window: HistoryWindow,
  most: number,
) {
  const isDaily = window.unit === 'hour' && buckets.length <= 48; // also a week that has just begun
  const hourOf = ({ timestamp }: Bucket) => Number(timestamp.slice(11, 13));
  const candidates = [...buckets.keys()].filter((n) => {
    if (window.unit !== 'hour') return true;
    return hourOf(buckets[n] as Bucket) % (isDaily ? 3 : 24) === 0;
  });
  const step = Math.max(1, Math.ceil(candidates.length / most));
  let last = '';
  return candidates
    .filter((_, n) => (candidates.length - 1 - n) % step === 0)
    .map((index) => {
      const { timestamp } = buckets[index] as Bucket;
      const day = formatDate(locale, timestamp, 'day');
      if (window.unit !== 'month' && !isDaily) return { index, label: day };
      const [text, around] = isDaily
        ? [timestamp.slice(11, 16), day]
        : [formatDate(locale, timestamp, 'name of month'), timestamp.slice(0, 4)];
      const label = around === last ? text : `${text}\n${around}`;
      last = around;
      return { index, label };
    });
}
