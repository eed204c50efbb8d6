/** Local time in a zone, independently of the database whose answers it checks. */

// making a format takes a hundred times longer than using it
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}

/** A zone of ICU, or a function from an instant to milliseconds east of UTC. */
export type Zone = string | ((instant: number) => number);

/** Milliseconds east of UTC at an instant. */
export function offsetAt(zone: Zone, instant: number): number {
  if (typeof zone === 'function') return zone(instant);
  const parts = formatOf(zone).formatToParts(instant);
  const part = (type: string) => Number(parts.find((p) => p.type === type)?.value);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(instant / 1000) * 1000;
}

const LOOK_EVERY_MS = 72 * 3_600_000;

/** The offsets of a zone from 1999 to 2032, as a reader of stamps takes them. */
export function transitionsOf(zone: Zone): { since: number; offset: number }[] {
  const since = Date.UTC(1999, 0, 1);
  const found = [{ since, offset: offsetAt(zone, since) }];
  for (let at = since; at < Date.UTC(2032, 0, 1); at += LOOK_EVERY_MS) {
    const offset = offsetAt(zone, at + LOOK_EVERY_MS);
    if (offset === found.at(-1)?.offset) continue;
    let [low, high] = [at, at + LOOK_EVERY_MS];
    while (high - low > 1_000) {
      const middle = Math.floor((low + high) / 2_000) * 1_000;
      if (offsetAt(zone, middle) === offset) high = middle;
      else low = middle;
    }
    found.push({ since: high, offset });
  }
  return found;
}

/**
 * The first instant at which the zone's clocks show this local time (days and months may overflow
 * as in Date.UTC).
 */
export function instantOf(zone: Zone, year: number, month: number, day: number, hour = 0): number {
  const wanted = Date.UTC(year, month - 1, day, hour);
  const candidates = [-1, 0, 1].map((days) => wanted - offsetAt(zone, wanted + days * 86_400_000));
  const exact = candidates.filter((instant) => instant + offsetAt(zone, instant) === wanted);
  // skipped by the clocks: the instant after the jump
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
}

/** Year, month and day that the zone's calendar shows at an instant. */
export function localDate(
  zone: Zone,
  instant: number,
): { year: number; month: number; day: number } {
  const local = new Date(instant + offsetAt(zone, instant));
  return { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() };
}

/** The start of the hour, local day or local month that holds an instant. */
export function bucketStart(zone: Zone, unit: 'hour' | 'day' | 'month', instant: number): number {
  if (unit === 'hour') return instant - mod(instant + offsetAt(zone, instant), 3_600_000);
  const { year, month, day } = localDate(zone, instant);
  return instantOf(zone, year, month, unit === 'day' ? day : 1);
}

function mod(a: number, b: number): number {
  return ((a % b) + b) % b;
}
