/** How a published number comes about: the rule in words, what it was made of, and the same number computed from that here. */
import { fill, formatDate, formatValue, type Quantity } from '../format.ts';
import { formatTime } from '../numbers.ts';
import {
  aqi,
  direction,
  ofHours,
  ofReadings,
  ofSensors,
  published,
  type SensorHour,
  type Values,
} from './arithmetic.ts';
import { makeDownload } from './download.ts';
import { type Change, chosenQuantity, hourName, nameOf, type Part } from './history.ts';
import { button, element, exploreUrl, fetchJson, type Page, scrollingTable } from './page.ts';
import { AQI, measuredValue, type Point } from './series.ts';

type Bucket = Values & { timestamp: string };
type Day = { day: Point | null; hours: Point[]; exact: { day: Bucket | null; hours: Bucket[] } };
type Sensor = { id: number; formula: string | null; mean: Values | null; readings: (Values & { time: string })[] };
type Hour = {
  timestamp: string;
  hour: Point | null;
  sensors: Sensor[];
  kept: boolean;
  complete: boolean;
};
type Rules = Readonly<Record<string, string>>;

/** A published number, and the same computed here: `exact` before rounding. */
type Result = { quantity: Quantity; published: number | null; computed: number | null; exact: number | null };

const ADDED = 6; // decimals of what is not rounded

export function makeRecompute(
  page: Page,
  rules: Rules,
  measured: readonly Quantity[],
  newest: string,
  change: Change,
): Part {
  const { words } = page;
  const isStation = page.subject.startsWith('station/');
  const date = element('input', { type: 'date', max: newest });
  date.addEventListener('change', () => {
    if (date.value !== '') change({ day: date.value, hour: undefined });
  });
  const [ofDay, ofHour] = [element('div', { class: 'day' }), element('div', { class: 'hour' })];
  let shown = '';

  async function load(view: { day: string; hour: string | undefined }, quantity: Quantity, key: string): Promise<void> {
    const [day, hour] = await Promise.all([
      fetchJson<Day>(exploreUrl(page, `hours/${view.day}.json`)),
      isStation && view.hour !== undefined
        ? fetchJson<Hour>(exploreUrl(page, `readings/${view.hour}.json`))
        : undefined,
    ]);
    if (key !== shown) return;
    const open = isStation ? (timestamp: string) => change({ day: view.day, hour: hourName(timestamp) }) : undefined;
    ofDay.replaceChildren(
      ...(day === undefined ? [words.noDay] : dayPart(page, rules, quantity, view.day, day.data, open)),
    );
    ofHour.replaceChildren(...(hour === undefined ? [] : hourPart(page, rules, quantity, hour.data)));
  }

  return {
    element: element(
      'section',
      { id: 'recompute' },
      element('h2', { tabindex: -1 }, words.recompute),
      element('p', {}, words.recomputeIntro),
      element('div', { class: 'controls' }, element('label', {}, `${words.day} `, date)),
      element('div', { class: 'results' }, ofDay, ofHour),
      makeDownload(page, newest),
    ),
    show(view) {
      const quantity = chosenQuantity(measured, view);
      const key = [view.day, view.hour, quantity.key].join();
      if (key === shown) return;
      shown = key;
      date.value = view.day ?? '';
      if (view.day === undefined) {
        ofDay.replaceChildren();
        ofHour.replaceChildren();
        return;
      }
      load({ day: view.day, hour: view.hour }, quantity, key).catch(() => {
        ofDay.replaceChildren(element('p', { class: 'warning' }, words.unavailable));
        ofHour.replaceChildren();
        shown = ''; // the next view tries again
      });
    },
  };
}

function dayPart(
  page: Page,
  rules: Rules,
  quantity: Quantity,
  date: string,
  { day, hours, exact }: Day,
  open: ((timestamp: string) => void) | undefined,
): HTMLElement[] {
  const { words, locale } = page;
  const title = formatDate(locale, date, 'day of year');
  const results = resultsOf(page, quantity, day, (key) => ofHours(exact.hours, key));
  const exactOf = new Map(exact.hours.map((one) => [one.timestamp, one]));
  const parts = partsOf(page, quantity);
  const rows = hours.map((hour) => [
    open === undefined
      ? timeOf(hour)
      : button(timeOf(hour), () => open(hour.timestamp), { title: words.readingsOfHour }),
    ...parts.flatMap((part) => {
      const value = measuredValue(hour, part);
      return [
        value === null ? '–' : formatValue(locale, value, part),
        exactText(exactOf.get(hour.timestamp)?.[part.key]),
      ];
    }),
  ]);
  const heads = [words.hour, ...parts.flatMap((part) => [nameOf(page, part), words.unrounded])];
  const names = quantity.key === 'rain' ? ['A6'] : isWind(quantity) ? ['A4', 'A7'] : ['A4'];
  return [
    element('h3', {}, `${title}: ${nameOf(page, quantity)}`),
    ...ruleTexts(rules, quantity === AQI ? [...names, 'aqi'] : names),
    ...(day === null ? [element('p', {}, words.noDay)] : resultLines(page, results)),
    element('h4', {}, words.hoursOfDay),
    scrollingTable(words.hoursOfDay, heads, rows),
  ];
}

function hourPart(page: Page, rules: Rules, quantity: Quantity, found: Hour): HTMLElement[] {
  const { words, locale } = page;
  const { hour, sensors, kept, complete } = found;
  const computed = sensors.map((sensor) => sensorHour(page, sensor, kept && complete));
  const results = resultsOf(page, quantity, hour, (key) => ofSensors(computed, key));
  const isCorrected = quantity.key === 'pm2.5' && sensors.some(({ formula }) => formula !== null);
  const names = [quantity.key === 'rain' ? 'A6' : 'A1', 'A2', ...(isCorrected ? ['S5'] : [])];
  return [
    element('h3', {}, `${formatTime(locale, found.timestamp)}: ${nameOf(page, quantity)}`),
    ...ruleTexts(rules, quantity === AQI ? [...names, 'aqi'] : names),
    ...(hour === null ? [element('p', {}, words.noHour)] : resultLines(page, results)),
    ...(kept ? [] : [element('p', {}, words.notKept)]),
    ...(complete ? [] : [element('p', {}, words.notAllReadings)]),
    ...(kept && sensors.length > 0 ? [element('h4', {}, words.readingsOfHour)] : []),
    ...sensors.flatMap((sensor, n) => {
      const values = computed[n]?.mean ?? {};
      const isPart = partsOf(page, quantity).some(
        ({ key }) => typeof (values[key] ?? values[`${key}_raw`]) === 'number',
      );
      return isPart ? [sensorPart(page, quantity, sensor, values, kept)] : [];
    }),
  ];
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

/** With which its direction is shown. */
const isWind = ({ key }: Quantity) => key === 'wind_speed';

/** The parameters that a number is made of: the index of both kinds of particles, the wind of speed alone. */
const partsOf = ({ quantities }: Page, quantity: Quantity): Quantity[] =>
  quantity === AQI ? quantities.filter(({ key }) => key === 'pm2.5' || key === 'pm10') : [quantity];

/** What is published of a quantity in a bucket, beside what `compute` gives for it; with the wind also its direction. */
function resultsOf(
  page: Page,
  quantity: Quantity,
  point: Point | null,
  compute: (key: string) => number | null,
): Result[] {
  const results = partsOf(page, quantity).map((part) => {
    const exact = compute(part.key);
    return {
      quantity: part,
      published: measuredValue(point ?? undefined, part),
      computed: published(exact, part),
      exact,
    };
  });
  if (quantity === AQI) {
    const [pm25, pm10] = ['pm2.5', 'pm10'].map(
      (key) => results.find((one) => one.quantity.key === key)?.computed ?? null,
    );
    const computed = aqi(pm25 ?? null, pm10 ?? null);
    results.push({ quantity: AQI, published: measuredValue(point ?? undefined, AQI), computed, exact: null });
  }
  const wind = isWind(quantity) && page.quantities.find(({ key }) => key === 'wind_direction');
  if (wind) {
    const computed = direction(compute('wind_sin'), compute('wind_cos'));
    results.push({ quantity: wind, published: measuredValue(point ?? undefined, wind), computed, exact: null });
  }
  return results.filter((one) => one.published !== null || one.computed !== null);
}

function resultLines(page: Page, results: readonly Result[]): HTMLElement[] {
  const { words, locale } = page;
  const say = (value: number | null, quantity: Quantity) =>
    value === null ? '–' : formatValue(locale, value, quantity);
  return results.map(({ quantity, exact, ...values }) => {
    const isEqual = values.published === values.computed;
    return element(
      'dl',
      { class: `result ${isEqual ? 'equal' : 'different'}` },
      element('dt', {}, `${nameOf(page, quantity)}, ${words.published}`),
      element('dd', {}, element('b', {}, say(values.published, quantity))),
      element('dt', {}, words.computed),
      element(
        'dd',
        {},
        exact === null ? '' : `${exactText(exact)} → `,
        element('b', {}, say(values.computed, quantity)),
        ` ${isEqual ? `✓ ${words.equal}` : `≠ ${words.different}`}`,
      ),
    );
  });
}

const ruleTexts = (rules: Rules, names: readonly string[]): HTMLElement[] =>
  names.flatMap((name) => {
    const text = rules[name];
    return text === undefined ? [] : [element('p', { class: 'rule' }, text)];
  });

const timeOf = ({ timestamp }: Point) => timestamp.slice(11, 16);

/** As the API gives it, so that it can be found there: not in the numerals of a language. */
const exactText = (value: unknown) => (typeof value === 'number' ? String(Number(value.toFixed(ADDED))) : '–');
