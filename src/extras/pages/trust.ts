/**
 * How far the numbers of a station can be trusted: why its particles are suspect, and left out of
 * its city's mean (C9), and how its PM2.5 sensors agree.
 */
import type { Locale } from '../../contract/endpoints.ts';
import type { ExploreAnswer } from '../../contract/explore.ts';
import { fill, plural } from './format.ts';
import { type Html, html, scrollingTable } from './html.ts';
import { formatNumber } from './numbers.ts';
import { WORDS } from './words.ts';

export type Trust = ExploreAnswer<'stationFlags'>;

/**
 * Why its particles are suspect at an instant, and whether its city's mean leaves them out, as a
 * sentence or two; undefined where no period holds.
 */
export function whySuspect(locale: Locale, flags: Trust['flags'], at: Date): string | undefined {
  const words = WORDS[locale];
  const isPast = (time: string | null) => time === null || Date.parse(time) <= at.getTime();
  const open = flags.filter(
    ({ kind, since, until }) =>
      kind === 'pm' && isPast(since) && !(until !== null && isPast(until)),
  );
  const reasons = open.map(({ test, 'pm2.5': value, median }) => {
    if (test === 'sensors') return words.suspectSensors;
    if (test === 'flat') return words.suspectFlat;
    if (test === 'operator') return words.suspectOperator;
    if (value === null || median === null || median <= 0) return words.suspectFarAbove;
    const times = Math.floor(value / median);
    return fill(plural(locale, words.suspectOutlier, times), { n: formatNumber(locale, times, 0) });
  });
  if (reasons.length === 0) return undefined;
  const [since = ''] = open.map((one) => one.since ?? '').sort();
  const why = [...new Set(reasons)].join('; ');
  if (!open.some((one) => one.is_left_out))
    return fill(words.suspectSince, { when: longDate(locale, since), why });
  if (since === '') return fill(words.leftOut, { why });
  return fill(words.leftOutSince, { when: longDate(locale, since), why });
}

/**
 * The local date of a time, such as `26 November 2026`. In Armenian the day is last, since the
 * ending of the word for "since" follows it.
 */
function longDate(locale: Locale, timestamp: string): string {
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    ...{ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
  });
  const wall = new Date(`${timestamp.slice(0, 10)}T00:00:00Z`);
  if (locale !== 'hy') return format.format(wall);
  const parts = format.formatToParts(wall).map(({ type, value }) => [type, value]);
  const { day, month, year } = Object.fromEntries(parts);
  return `${year} թ. ${month} ${day}`;
}

/** The report card of each pair of sensors at the station or within 150 m. */
export function trustPart(locale: Locale, id: number, { pairs }: Trust): Html {
  const words = WORDS[locale];
  const name = ({ sensor_id: sensor, station_id: station }: Trust['pairs'][number]['x']) =>
    station === id
      ? html`${sensor}`
      : html`${sensor} (<a href="/${locale}/station/${station}">${station}</a>)`;
  const number = (value: number | null, digits: number) =>
    value === null ? '–' : formatNumber(locale, value, digits);
  const meets = (all: boolean | null) => {
    if (all === null) return '–';
    return all ? words.yes : words.no;
  };
  const heads = [
    words.sensors,
    words.days,
    words.slope,
    words.intercept,
    'R²',
    'RMSE',
    words.meetsTargets,
  ];
  const rows = pairs.map(({ x, y, days, slope, intercept, r2, rmse, meets_targets: all }) => {
    const figures = [number(slope, 2), number(intercept, 1), number(r2, 2), number(rmse, 1)];
    return [html`${name(x)} · ${name(y)}`, days, ...figures, meets(all)];
  });
  return html`<section data-live="trust">${
    pairs.length > 0 &&
    html`<details class="card" data-name="pairs">
      <summary>
      <h2>${words.pairs}</h2></summary>
      <p class="soft">${words.pairsNote}</p>
${scrollingTable(words.pairs, heads, rows)}</details>`
  }</section>`;
}
