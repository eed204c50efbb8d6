/** How a published number comes about: the rule in words, what it was made of, and the same number computed from that here. */
import { fill, formatDate, formatValue, type Quantity } from '../format.ts';
import { formatTime } from '../numbers.ts';
import {
  aqi,
  type DayOfMonth,
  direction,
  exactText,
  isLeftOut,
  ofDays,
  ofHours,
  ofReadings,
  ofSensors,
  ofStations,
  published,
  type SensorHour,
  type StationOfRegion,
  type Values,
} from './arithmetic.ts';
import { makeDownload } from './download.ts';
import { type Change, chosenQuantity, hourName, nameOf, type Part } from './history.ts';
import { button, element, exploreUrl, fetchJson, fillFrom, type Page, scrollingTable } from './page.ts';
import { AQI, formatBucket, measuredValue, type Point } from './series.ts';
import type { View } from './view.ts';

type Bucket = Values & { timestamp: string };
type Month = { month: Point | null; days: (DayOfMonth & { mean: Bucket })[] };
type Day = { day: Point | null; hours: Point[]; exact: { hours: Bucket[] } };
type Sensor = { id: number; formula: string | null; mean: Values | null; readings: (Values & { time: string })[] };
type StationHour = { timestamp: string; hour: Point | null; sensors: Sensor[]; kept: boolean; complete: boolean };
type RegionHour = {
  timestamp: string;
  hour: Point | null;
  stations: (StationOfRegion & { id: number })[];
  complete: boolean;
};
type Rules = Readonly<Record<string, string>>;

/** What is explained: a quantity of the page's subject. */
type Context = { page: Page; rules: Rules; quantity: Quantity; change: Change };

/** A bucket with the names of its rules and what it was made of. */
type Explained = {
  title: string;
  rules: readonly string[];
  point: Point | null;
  /** What is said where nothing is published. */
  missing: string;
  /** Undefined where not all that is needed is here. */
  compute: ((key: string) => number | null) | undefined;
  madeOf: HTMLElement[];
};

/** A published number, and the same computed here: `exact` before rounding. */
type Result = { quantity: Quantity; published: number | null; computed: number | null; exact: number | null };

/** How each part of a view is explained, the largest first. */
const LEVELS = { month: explainMonth, day: explainDay, hour: explainHour } as const;
const NAMES = ['month', 'day', 'hour'] as const;

export function makeRecompute(
  page: Page,
  rules: Rules,
  measured: readonly Quantity[],
  newest: string,
  change: Change,
): Part {
  const { words } = page;
  const date = element('input', { type: 'date', max: newest });
  date.addEventListener('change', () => {
    if (date.value !== '') change({ month: undefined, day: date.value, hour: undefined });
  });
  const results = element('div', { class: 'results' });
  let shown = '';

  async function load(view: View, quantity: Quantity): Promise<HTMLElement[]> {
    const context = { page, rules, quantity, change };
    const parts = NAMES.map(async (name) => {
      const value = view[name];
      return element('div', { class: name }, ...(value === undefined ? [] : await LEVELS[name](context, value)));
    });
    return await Promise.all(parts);
  }

  return {
    element: element(
      'section',
      { id: 'recompute' },
      element('h2', { tabindex: -1 }, words.recompute),
      element('p', {}, words.recomputeIntro),
      element('div', { class: 'controls' }, element('label', {}, `${words.day} `, date)),
      results,
      makeDownload(page, newest),
    ),
    show(view) {
      const quantity = chosenQuantity(measured, view);
      const key = [...NAMES.map((name) => view[name]), quantity.key].join();
      if (key === shown) return;
      shown = key;
      date.value = view.day ?? '';
      void fillFrom(page, results, () => load(view, quantity));
    },
  };
}

async function explainMonth(context: Context, month: string): Promise<HTMLElement[]> {
  const { page, quantity, change } = context;
  const { words, locale } = page;
  const found = await fetchJson<Month>(exploreUrl(page, `months/${month}.json`));
  if (found === undefined) return [element('p', {}, words.noMonth)];
  const { month: point, days } = found.data;
  const parts = partsOf(page, quantity);
  const heads = [words.day, ...parts.flatMap((part) => [`${nameOf(page, part)}, ${words.unrounded}`, words.hours])];
  const rows = days.map(({ mean, hours }) => {
    const day = mean.timestamp.slice(0, 10);
    const open = () => change({ day, hour: undefined });
    return [
      button(formatDate(locale, day, 'day'), open, { title: words.hoursOfDay }),
      ...parts.flatMap(({ key }) => [exactText(mean[key]), String(hours[key] ?? '–')]),
    ];
  });
  return explain(context, {
    title: formatBucket(locale, month, 'month'),
    rules: ['A4'],
    point,
    missing: words.noMonth,
    compute: (key) => ofDays(days, key),
    madeOf: [element('h4', {}, words.daysOfMonth), scrollingTable(words.daysOfMonth, heads, rows)],
  });
}

async function explainDay(context: Context, date: string): Promise<HTMLElement[]> {
  const { page, quantity, change } = context;
  const { words, locale } = page;
  const found = await fetchJson<Day>(exploreUrl(page, `hours/${date}.json`));
  if (found === undefined) return [element('p', {}, words.noDay)];
  const { day, hours, exact } = found.data;
  const exactOf = new Map(exact.hours.map((one) => [one.timestamp, one]));
  const parts = partsOf(page, quantity);
  const heads = [words.hour, ...parts.flatMap((part) => [nameOf(page, part), words.unrounded])];
  const rows = hours.map((hour) => {
    const { timestamp } = hour;
    const open = () => change({ day: date, hour: hourName(timestamp) });
    return [
      button(timestamp.slice(11, 16), open, {
        title: isStation(page) ? words.readingsOfHour : words.stationsOfHour,
      }),
      ...parts.flatMap((part) => [
        formatValue(locale, measuredValue(hour, part), part),
        exactText(exactOf.get(timestamp)?.[part.key]),
      ]),
    ];
  });
  return explain(context, {
    title: formatDate(locale, date, 'day of year'),
    rules: ['A4'],
    point: day,
    missing: words.noDay,
    compute: (key) => ofHours(exact.hours, key),
    madeOf: [element('h4', {}, words.hoursOfDay), scrollingTable(words.hoursOfDay, heads, rows)],
  });
}

const isStation = ({ subject }: Page) => subject.startsWith('station/');

async function explainHour(context: Context, hour: string): Promise<HTMLElement[]> {
  const { page } = context;
  if (isStation(page)) {
    const found = await fetchJson<StationHour>(exploreUrl(page, `readings/${hour}.json`));
    return found === undefined ? [] : explain(context, ofStationHour(context, found.data));
  }
  const found = await fetchJson<RegionHour>(exploreUrl(page, `stations/${hour}.json`));
  return found === undefined ? [] : explain(context, ofRegionHour(context, found.data));
}

function ofRegionHour({ page, quantity }: Context, { timestamp, hour, stations, complete }: RegionHour): Explained {
  const { words, locale } = page;
  const parts = partsOf(page, quantity);
  const rows = stations.map((station) => [
    element('a', { href: `/${locale}/station/${station.id}` }, String(station.id)),
    ...parts.map(({ key }) => (isLeftOut(station, key) ? words.leftOut : exactText(station.mean[key]))),
  ]);
  const heads = [words.station, ...parts.map((part) => `${nameOf(page, part)}, ${words.unrounded}`)];
  return {
    title: formatTime(locale, timestamp),
    rules: ['A3'],
    point: hour,
    missing: words.noHour,
    compute: complete ? (key) => ofStations(stations, key) : undefined,
    madeOf: [
      ...(complete ? [] : [element('p', {}, words.notAll)]),
      element('h4', {}, words.stationsOfHour),
      scrollingTable(words.stationsOfHour, heads, rows),
    ],
  };
}

function ofStationHour({ page, quantity }: Context, found: StationHour): Explained {
  const { words, locale } = page;
  const { timestamp, hour, sensors, kept, complete } = found;
  const computed = sensors.map((sensor) => sensorHour(page, sensor, kept && complete));
  const isCorrected = quantity.key === 'pm2.5' && sensors.some(({ formula }) => formula !== null);
  const isMeasured = (values: Values) =>
    partsOf(page, quantity).some(({ key }) => typeof (values[key] ?? values[`${key}_raw`]) === 'number');
  return {
    title: formatTime(locale, timestamp),
    rules: ['A1', 'A2', ...(isCorrected ? ['S5'] : [])],
    point: hour,
    missing: words.noHour,
    compute: (key) => ofSensors(computed, key),
    madeOf: [
      ...(kept ? [] : [element('p', {}, words.notKept)]),
      ...(complete ? [] : [element('p', {}, words.notAll)]),
      ...(kept && sensors.length > 0 ? [element('h4', {}, words.readingsOfHour)] : []),
      ...sensors.flatMap((sensor, n) => {
        const values = computed[n]?.mean ?? {};
        return isMeasured(values) ? [sensorPart(page, quantity, sensor, values, kept)] : [];
      }),
    ],
  };
}

/** The hour of a sensor, computed from its readings where all are there, else as it is stored. */
function sensorHour({ quantities }: Page, { formula, mean, readings }: Sensor, hasReadings: boolean): SensorHour {
  const keys = [...quantities.map(({ key }) => key), 'wind_sin', 'wind_cos'];
  const fromReadings = Object.fromEntries(keys.map((key) => [key, ofReadings(readings, key)]));
  return { formula, mean: hasReadings ? fromReadings : (mean ?? {}) };
}

function sensorPart(page: Page, quantity: Quantity, sensor: Sensor, hour: Values, kept: boolean): HTMLElement {
  const { words } = page;
  const parts = partsOf(page, quantity).flatMap((part) => [
    part,
    ...page.quantities.filter(({ key }) => part.key === 'pm2.5' && sensor.formula !== null && /raw|humidity/.test(key)),
  ]);
  const means = parts.map((part) => `${nameOf(page, part)} ${exactText(hour[part.key])}`).join(', ');
  const formula = sensor.formula === null ? '' : ` (${fill(words.corrected, { formula: sensor.formula })})`;
  const name = `${words.sensor} ${sensor.id}${formula}: ${means}`;
  if (!kept) return element('p', {}, name);
  const columns = [...parts, ...page.quantities.filter(({ key }) => isWind(quantity) && key === 'wind_direction')];
  const rows = sensor.readings.map((reading) => [
    reading.time.slice(11, 19),
    ...columns.map(({ key }) => (typeof reading[key] === 'number' ? String(reading[key]) : '–')),
  ]);
  const heads = [words.time, ...columns.map((part) => nameOf(page, part))];
  return element(
    'details',
    { open: true },
    element('summary', {}, name),
    scrollingTable(`${words.readings}: ${name}`, heads, rows),
  );
}

/** The rules in words, the number as published and as computed here, and what it was made of. */
function explain({ page, rules, quantity }: Context, of: Explained): HTMLElement[] {
  const [first = '', ...others] = of.rules;
  const names = [
    quantity.key === 'rain' ? 'A6' : first,
    ...others,
    ...(isWind(quantity) ? ['A7'] : []),
    ...(quantity === AQI ? ['aqi'] : []),
  ];
  const results: HTMLElement[] = of.point === null ? [element('p', {}, of.missing)] : [];
  if (of.point !== null && of.compute !== undefined)
    results.push(...resultsOf(page, quantity, of.point, of.compute).map((result) => resultLine(page, result)));
  return [
    element('h3', {}, `${of.title}: ${nameOf(page, quantity)}`),
    ...names.flatMap((name) => (rules[name] === undefined ? [] : [element('p', { class: 'rule' }, rules[name])])),
    ...results,
    ...of.madeOf,
  ];
}

/** With which its direction is shown. */
const isWind = ({ key }: Quantity) => key === 'wind_speed';

/** The parameters that a number is made of: the index of both kinds of particles, the wind of speed alone. */
const partsOf = ({ quantities }: Page, quantity: Quantity): Quantity[] =>
  quantity === AQI ? quantities.filter(({ key }) => key === 'pm2.5' || key === 'pm10') : [quantity];

/** What is published of a quantity in a bucket, beside what `compute` gives for it; with the wind also its direction. */
function resultsOf(
  page: Page,
  quantity: Quantity,
  point: Point,
  compute: (key: string) => number | null,
): readonly Result[] {
  const result = (part: Quantity, computed: number | null, exact: number | null = null): Result => ({
    quantity: part,
    published: measuredValue(point, part),
    computed,
    exact,
  });
  const results = partsOf(page, quantity).map((part) => {
    const exact = compute(part.key);
    return result(part, published(exact, part), exact);
  });
  if (quantity === AQI) {
    const computedOf = (key: string) => results.find((one) => one.quantity.key === key)?.computed ?? null;
    results.push(result(AQI, aqi(computedOf('pm2.5'), computedOf('pm10'))));
  }
  const wind = isWind(quantity) && page.quantities.find(({ key }) => key === 'wind_direction');
  if (wind) results.push(result(wind, direction(compute('wind_sin'), compute('wind_cos'))));
  return results.filter((one) => one.published !== null || one.computed !== null);
}

function resultLine(page: Page, { quantity, exact, published, computed }: Result): HTMLElement {
  const { words, locale } = page;
  const isEqual = published === computed;
  return element(
    'dl',
    { class: `result ${isEqual ? 'equal' : 'different'}` },
    element('dt', {}, `${nameOf(page, quantity)}, ${words.published}`),
    element('dd', {}, element('b', {}, formatValue(locale, published, quantity))),
    element('dt', {}, words.computed),
    element(
      'dd',
      {},
      exact === null ? '' : `${exactText(exact)} → `,
      element('b', {}, formatValue(locale, computed, quantity)),
      ` ${isEqual ? `✓ ${words.equal}` : `≠ ${words.different}`}`,
    ),
  );
}
