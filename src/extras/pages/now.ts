/**
 * The current values of a station or region: the headline with advice and the last 24 hours, and
 * the other indices.
 */
import type { Region, Station } from '../../contract/current.ts';
import type { Locale } from '../../contract/endpoints.ts';
import type { ExploreAnswer } from '../../contract/explore.ts';
import {
  keyOf,
  PARAMETERS,
  type Parameter,
  type ParameterName,
  parameterNames,
} from '../../contract/parameters.ts';
import { adviceFor, INDEX_WORDS } from '../../serve/indexWords.ts';
import { ruleLink } from './computed.ts';
import { fill, formatValue, PM25, plural, type Quantity } from './format.ts';
import { type Html, html } from './html.ts';
import { formatHour, formatNumber, formatTime } from './numbers.ts';
import { categoryIn, strong, withTime } from './parts.ts';
import { dayChart } from './pictures.ts';
import { bandOf, type Category } from './scale.ts';
import {
  type Bucket,
  fillGaps,
  type HistoryWindow,
  isLeftOutIn,
  measuredValue,
  newestTime,
  type Windows,
} from './series.ts';
import { trendLine } from './trend.ts';
import type { Trust } from './trust.ts';
import { WORDS, type Words } from './words.ts';

/** The parameters in the order used everywhere, as pages show them. */
export const QUANTITIES: readonly Quantity[] = PARAMETERS.map(({ name, unit, digits }) => ({
  key: keyOf(name),
  unit,
  digits,
}));

const isGas = ({ massOfPpb }: Parameter) => massOfPpb !== undefined;
const isParticle = (one: Parameter) => one.nonNegative === true && !isGas(one);
const isOther = (one: Parameter) => !isGas(one) && !isParticle(one);
const keysOf = (isWanted: (one: Parameter) => boolean, first: readonly ParameterName[]) =>
  parameterNames(isWanted, first).map(keyOf);

/** The tiles of a page, one for each parameter. */
export const GROUPS = [
  { title: 'particles', keys: keysOf(isParticle, ['pm25', 'pm10', 'pm1', 'pm25_raw', 'dust']) },
  { title: 'gases', keys: keysOf(isGas, ['no2', 'o3', 'so2']) },
  {
    title: 'weather',
    keys: keysOf(isOther, [
      'temperature',
      'humidity',
      'pressure',
      'wind_speed',
      'wind_direction',
      'rain',
      'uv',
      'usvh',
    ]),
  },
] as const;

/** The document of a station or a region beside its values. */
export type Indices =
  | (ExploreAnswer<'stationNow'> & { particles?: never })
  | (ExploreAnswer<'regionNow'> & { completeness?: never });

/** Everything that the page of a station or region is made of, at an instant. */
export type Subject<Values = Station | Region> = {
  values: Values;
  history: Windows;
  indices: Indices;
  at: Date;
  /** Why the particles of a station are left out of its city's mean, as a sentence. */
  suspect?: string | undefined;
  /** The periods in which a station was flagged. */
  flags?: Trust['flags'];
};

/** The part that is without history. */
export type Current = Pick<Subject, 'values' | 'indices' | 'suspect'> & {
  /** False for a region in which nothing was ever measured; unset: its history says that. */
  hasMeasured?: boolean | undefined;
};

const NOWCAST_HOURS = 12;
const HOURS: HistoryWindow = { key: '24h', unit: 'hour', count: 24 };

export const valueIn = ({ values }: Current, key: string): number | string | null =>
  (values as unknown as Readonly<Record<string, number | string | null>>)[key] ?? null;
const isStation = (values: Station | Region): values is Station => 'status' in values;
export const lastDay = ({ history, at }: Subject): Bucket[] =>
  fillGaps(history[HOURS.key] ?? [], HOURS, at.getTime());

/**
 * The headline of a page, in words: `text` is a number or value, `of` which index it is, `quantity`
 * the value's.
 */
type Headline = { category: Category; text: string; name: string; of: string; quantity?: Quantity };

/**
 * The index where there is one; else the European one, which counts gases; else the first value
 * that there is.
 */
export function headlineOf(locale: Locale, subject: Current & Partial<Subject>): Headline {
  const words = WORDS[locale];
  const { values, indices, suspect } = subject;
  const { aqi, measurement_time: time } = values;
  const category = categoryIn(values);
  const nothing = { category, text: '', name: words[category], of: '' };
  if (isWaiting(subject)) return { ...nothing, category: 'unknown', name: words.waiting };
  if (time === null || category === 'offline') return nothing;
  if (aqi !== null) {
    const verdict =
      suspect !== undefined ? ({ category: 'unknown', name: words.suspect } as const) : {};
    return { ...nothing, ...verdict, text: String(aqi), of: INDEX_WORDS.aqi.name[locale] };
  }
  const band = indices.european_index.index;
  if (band !== null && suspect === undefined)
    return { ...nothing, name: words[bandOf(band)], of: INDEX_WORDS.eaqi.name[locale] };
  for (const key of GROUPS.flatMap(({ keys }) => [...keys])) {
    const quantity = QUANTITIES.find((one) => one.key === key);
    const value = valueIn(subject, key);
    if (quantity === undefined || typeof value !== 'number') continue;
    return {
      ...nothing,
      name: word(words, key),
      text: formatValue(locale, value, quantity),
      quantity,
    };
  }
  return nothing;
}

/** Nothing was ever measured there: a station's hours are expected from its first one on. */
export function isWaiting(current: Current & Partial<Subject>): boolean {
  const { values, indices, history, hasMeasured } = current;
  if (values.measurement_time !== null) return false;
  if (isStation(values)) return indices.completeness?.expected_hours === 0;
  return hasMeasured === false || (history !== undefined && newestTime(history) === undefined);
}

export const word = (words: Words, key: string) =>
  (words as Readonly<Record<string, string>>)[key] ?? '';

/** The headline of a shared link and its picture: `Good`, `AQI 35`, `PM2.5 6.3 µg/m³`. */
export function inWords(locale: Locale, subject: Subject) {
  const { category, name, text, of, quantity } = headlineOf(locale, subject);
  const pm25 = subject.values['pm2.5'];
  if (subject.suspect !== undefined) return { category, word: name, index: '', value: '' };
  return {
    category,
    word: text === '' && of !== '' ? `${of}: ${name}` : name,
    index: text === '' || quantity !== undefined ? text : `AQI ${text}`,
    value: pm25 === null ? '' : `PM2.5 ${formatValue(locale, pm25, PM25)}`,
  };
}

/** The headline of a page or frame: an index on its colour, a value, or only a word; then PM2.5. */
export function leadPart(locale: Locale, current: Current & Partial<Subject>): Html {
  const { category, text, name, of } = headlineOf(locale, current);
  const isSuspect = current.suspect !== undefined;
  const pm25 = current.values['pm2.5'];
  const index = html`<p class="index ${category}">${of === INDEX_WORDS.aqi.name[locale] && strong(text, isSuspect)}
    <span>${name}
    <small>${of}</small></span></p>`;
  const value = html`<p class="main">${name} <b>${text}</b></p>`;
  return html`${
    of !== ''
      ? index
      : text !== ''
        ? value
        : html`<p>
    <span class="chip ${category}">${name}</span></p>`
  }
${
  pm25 !== null &&
  html`<p class="main">PM2.5 ${strong(formatValue(locale, pm25, PM25), isSuspect)}</p>`
}`;
}

/** Says to which hour a station's values belong, or to which digest a region's values. */
export const measuredAt = (locale: Locale, values: Station | Region, time: string): Html =>
  isStation(values)
    ? withTime(locale, WORDS[locale].meanOfHour, time, formatHour)
    : withTime(locale, WORDS[locale].digestOf, time);

/**
 * The head of a page: `path` leads to it, `note` stands beneath the title, such as that something
 * is unreliable.
 */
export function headPart(
  locale: Locale,
  subject: Subject,
  path: Html | false,
  note: Html | false,
): Html {
  const words = WORDS[locale];
  const { values, suspect } = subject;
  const isSuspect = suspect !== undefined;
  const headline = headlineOf(locale, subject);
  const { measurement_time: time } = values;
  const buckets = lastDay(subject);
  const quantity = [headline.quantity ?? PM25, ...QUANTITIES].find((one) =>
    buckets.some(({ point }) => measuredValue(point, one) !== null),
  );
  const newest = newestTime(subject.history);
  const isSuspectAt = (hour: string) => isLeftOutIn(hour, subject.flags ?? []);
  const { measured_hours: hours = 0, expected_hours: expected = 0 } =
    subject.indices.completeness ?? {};
  const measured =
    quantity === PM25 && expected > 0 && ` · ${fill(words.hoursOf, { measured: hours, expected })}`;
  const missing =
    isStation(values) && values.status === 'offline' ? words.offlineSince : words.noRecent;
  const count = isStation(values) ? undefined : countOf(locale, values, subject.indices.particles);
  return html`<section class="head" data-live="head">
<div class="card">${path}
<h1>${values.title}</h1>
${leadPart(locale, subject)}
${!isSuspect && trendLine(locale, subject.indices.trend)}
${
  time !== null &&
  html`<p
  class="when">${measuredAt(locale, values, time)}${count !== undefined && ` · ${count}`}</p>`
}
${
  time === null &&
  html`<p>${newest === undefined ? words.neverSent : withTime(locale, missing, newest)}</p>`
}
${note}
${isSuspect && html`<p class="warning">${suspect} ${ruleLink(locale, 'C9')}</p>`}
${headline.of === INDEX_WORDS.aqi.name[locale] && !isSuspect && advice(locale, headline.category)}
</div>
${
  quantity !== undefined &&
  html`<figure class="card">
    <figcaption>${fill(words.dayTitle, { name: word(words, quantity.key) })}${measured}</figcaption>
${dayChart(words, locale, buckets, quantity, isSuspectAt)}</figure>`
}
</section>`;
}

/** The number of stations in the mean of a region's values, and in the mean of its particles. */
function countOf(
  locale: Locale,
  { station_count: online }: Region,
  particles: Indices['particles'],
): string | undefined {
  const words = WORDS[locale];
  const { stations, left_out: left, expected } = particles ?? NO_PARTICLES;
  if (stations === null || expected === null || expected === 0)
    return online === null
      ? undefined
      : fill(plural(locale, words.stationCount, online), { n: online });
  const from = fill(plural(locale, words.particlesFrom, expected), { n: stations, expected });
  return left ? `${from}, ${fill(words.leftOutCount, { n: left })}` : from;
}

const NO_PARTICLES = { stations: null, left_out: null, expected: null };

/** Advice for everybody and for sensitive people, and where it is from. */
function advice(locale: Locale, category: Category): Html {
  const { url, text } = INDEX_WORDS.aqi.source;
  return html`<ul class="advice">${adviceFor(locale, 'aqi', category).map(
    ({ whom, advice }) => html`
    <li><b>${whom}:</b> ${advice}</li>`,
  )}</ul>
<p class="when"><a href="${url}">${text[locale]}</a></p>`;
}

/** Each with what it is for; in the headline there is only one. */
export function indicesPart(locale: Locale, subject: Subject): Html {
  const words = WORDS[locale];
  const { indices, flags = [] } = subject;
  const { nowcast, european_index: european } = indices;
  const entries: [string, Html, Html | string][] = [];
  const mark = (text: string, isSuspect: boolean) =>
    isSuspect
      ? html`<s>${text}</s> <span class="chip unknown">${words.suspect}</span>`
      : html`<b>${text}</b>`;
  if (european.index !== null && european.timestamp !== null) {
    const isSuspect = isLeftOutIn(european.timestamp, flags);
    const measured = Object.entries(european.pollutants).filter(([, band]) => band !== null);
    const isParticle = ([key]: [string, unknown]) => key.startsWith('pm');
    const hasGas = measured.some((one) => !isParticle(one) && one[1] === european.index);
    const bands = measured.map(([key, band]) => {
      const text = `${word(words, key)}: ${words[bandOf(String(band))].toLowerCase()}`;
      return isSuspect && isParticle([key, band]) ? html`<s>${text}</s>` : html`${text}`;
    });
    const note = fill(words.europeanNote, { time: formatTime(locale, european.timestamp) });
    entries.push([
      INDEX_WORDS.eaqi.name[locale],
      mark(words[bandOf(european.index)], isSuspect && !hasGas), // a gas alone makes the index what it is
      html`${note}. ${bands.map((one, n) => html`${n > 0 && ', '}${one}`)}.`,
    ]);
  }
  if (nowcast['pm2.5'] !== null) {
    const isSuspect = lastDay(subject)
      .slice(-NOWCAST_HOURS)
      .some(({ timestamp }) => isLeftOutIn(timestamp, flags));
    const ofAqi = nowcast.aqi === null ? '' : `, AQI ${formatNumber(locale, nowcast.aqi, 0)}`;
    entries.push([
      words.nowcast,
      mark(`${formatValue(locale, nowcast['pm2.5'], PM25)}${ofAqi}`, isSuspect),
      `${words.nowcastNote}.`,
    ]);
  }
  return html`<section data-live="indices">${
    entries.length > 0 &&
    html`<div class="card"><details class="folded" data-name="indices">
  <summary><h2>${words.indices}</h2></summary>
<dl class="list">${entries.map(
      ([name, value, note]) => html`<dt>${name}</dt>
  <dd>${value}${note !== '' && html`<br><small>${note}</small>`}</dd>`,
    )}</dl></details></div>`
  }</section>`;
}
