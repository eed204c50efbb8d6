/**
 * The current values of a station or region: the headline with advice and the last 24 hours, and
 * the other indices.
 */
import type { Region, Station } from '../../contract/current.ts';
import type { Locale } from '../../contract/endpoints.ts';
import type { Pollutant } from '../../contract/explore/now.ts';
import type { ExploreAnswer } from '../../contract/explore.ts';
import {
  keyOf,
  PARAMETERS,
  type Parameter,
  type ParameterName,
  parameterNames,
} from '../../contract/parameters.ts';
import { adviceFor, INDEX_WORDS, type IndexName } from '../../contract/words/indices.ts';
import { ruleLink } from './computed.ts';
import {
  capitalized,
  fill,
  formatBoth,
  formatValue,
  massText,
  PM25,
  plural,
  type Quantity,
} from './format.ts';
import { type Html, html } from './html.ts';
import { formatClock, formatTime } from './numbers.ts';
import { strong, withTime } from './parts.ts';
import { dayChart } from './pictures.ts';
import { bandOf, categoryOf, type Look, POLLUTANTS } from './scale.ts';
import {
  AQI,
  type Bucket,
  fillGaps,
  type HistoryWindow,
  isSuspectIn,
  measuredValue,
  newestTime,
  type Windows,
} from './series.ts';
import { trendLine } from './trend.ts';
import type { Trust } from './trust.ts';
import { boxOf, hasTrend, type Verdict } from './verdict.ts';
import { WORDS, type Words } from './words.ts';

/** The parameters in the order used everywhere, as pages show them. */
export const QUANTITIES: readonly Quantity[] = PARAMETERS.map(
  (one: Parameter & { name: ParameterName }) => ({
    key: keyOf(one.name),
    unit: one.unit,
    digits: one.digits,
    ...(one.unit === 'ppb' && one.massOfPpb !== undefined && { mass: one.massOfPpb }),
  }),
);

export const quantityOf = (key: string): Quantity =>
  QUANTITIES.find((one) => one.key === key) as Quantity;

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
  verdict: Verdict;
  /** The index that the configuration names (INDEX). */
  index: IndexName;
};

/** The part that is without history. */
export type Current = Pick<Subject, 'values' | 'indices' | 'suspect' | 'verdict' | 'index'> &
  Partial<Pick<Subject, 'history'>>;

/** What a verdict is made of. */
export type Unjudged = Omit<Current, 'verdict' | 'index'>;

const NOWCAST_HOURS = 12;
const HOURS: HistoryWindow = { key: '24h', unit: 'hour', count: 24 };

export const valueIn = ({ values }: Current, key: string): number | string | null =>
  (values as unknown as Readonly<Record<string, number | string | null>>)[key] ?? null;
const isStation = (values: Station | Region): values is Station => 'status' in values;
export const lastDay = ({ history, at }: Subject): Bucket[] =>
  fillGaps(history[HOURS.key] ?? [], HOURS, at.getTime());

/**
 * The mean of a pollutant in the hour of the European index, where that is the headline: its
 * numbers then are those of the hour that it judges. Undefined for all else.
 */
export function valueOfHour({ verdict, indices }: Current, key: string): number | undefined {
  if (verdict.maker === undefined) return undefined;
  return indices.european_index.values[key as Pollutant] ?? undefined;
}

/** `European index, hour from 13:00, 20 Nov`. */
export const ofHour = (locale: Locale, hour: string): string =>
  fill(WORDS[locale].ofHour, {
    index: INDEX_WORDS.eaqi.short[locale],
    time: formatClock(locale, hour),
  });

/** The headline of a page: an index, a value with its name, or only a word. */
type Headline =
  | { kind: 'index'; box: string; name: string; of: string }
  | { kind: 'value'; name: string; text: string; quantity: Quantity }
  | { kind: 'word'; name: string };

/** The index that is known; else the first value that there is. */
export function headlineOf(locale: Locale, subject: Current): Headline {
  const words = WORDS[locale];
  const { verdict, indices } = subject;
  const { look, by, maker, isSuspect, isWaiting: isNew } = verdict;
  if (by !== undefined) {
    const of = maker === undefined ? '' : `, ${POLLUTANTS[maker]}`;
    const { name } = INDEX_WORDS[by.index];
    const hour = indices.european_index.timestamp ?? '';
    return {
      kind: 'index',
      box: boxOf(verdict),
      name: isSuspect ? capitalized(words.suspect) : `${words[look]}${of}`,
      of: by.index === 'aqi' ? name[locale] : ofHour(locale, hour),
    };
  }
  const only = { kind: 'word', name: isNew ? words.waiting : words[look] } as const;
  if (isNew || subject.values.measurement_time === null || look === 'offline') return only;
  for (const key of GROUPS.flatMap(({ keys }) => [...keys])) {
    const quantity = QUANTITIES.find((one) => one.key === key);
    const value = valueIn(subject, key);
    if (quantity === undefined || typeof value !== 'number') continue;
    const text = formatValue(locale, value, quantity);
    return { kind: 'value', name: word(words, key), text, quantity };
  }
  return only;
}

/** Nothing was ever measured there: a station's hours are expected from its first one on. */
export function isWaiting(current: Unjudged): boolean {
  const { values, indices, history } = current;
  if (values.measurement_time !== null) return false;
  if (isStation(values)) return indices.completeness?.expected_hours === 0;
  return history !== undefined && newestTime(history) === undefined;
}

export const word = (words: Words, key: string) =>
  (words as Readonly<Record<string, string>>)[key] ?? '';

/** `O₃ 110 µg/m³`: what makes the European index, as it rounds it. */
const concentrationIn = (locale: Locale, { grade, maker }: Verdict): string =>
  typeof grade === 'object' && grade !== null && maker !== undefined
    ? `${POLLUTANTS[maker]} ${formatValue(locale, grade[1], { unit: 'µg/m³', digits: 0 })}`
    : '';

/**
 * The headline of a shared link and its picture, and of when it is: `AQI 35`, `Good`, `PM2.5 6.3
 * µg/m³`, or `O₃ 110 µg/m³`, `Poor · European index`.
 */
export function inWords(locale: Locale, subject: Current) {
  const { look, by, isSuspect } = subject.verdict;
  const { measurement_time: time } = subject.values;
  if (by?.index === 'eaqi')
    return {
      look,
      box: concentrationIn(locale, subject.verdict),
      word: `${WORDS[locale][look]} · ${INDEX_WORDS.eaqi.short[locale]}`,
      value: '',
      time: subject.indices.european_index.timestamp,
    };
  const headline = headlineOf(locale, subject);
  const pm25 = subject.values['pm2.5'];
  const { name } = headline;
  if (isSuspect) return { look, box: '', word: name, value: '', time };
  const value =
    pm25 === null || subject.suspect !== undefined
      ? ''
      : `PM2.5 ${formatValue(locale, pm25, PM25)}`;
  const told = { look, word: name, value, time };
  if (headline.kind === 'word') return { ...told, box: '' };
  return { ...told, box: headline.kind === 'value' ? headline.text : `AQI ${headline.box}` };
}

/**
 * The headline of a page or frame: an index on its colour, a value, or only a word; then what makes
 * the European index, or PM2.5.
 */
export function leadPart(locale: Locale, current: Current): Html {
  const headline = headlineOf(locale, current);
  const { name } = headline;
  const { look, isSuspect } = current.verdict;
  const { key, value } = mainOf(current);
  const lead = {
    index: ({ box, of }: Headline & { kind: 'index' }) => html`<p
  class="index ${look}">${strong(box, isSuspect)}
    <span>${name}
    <small>${of}</small></span></p>`,
    value: ({ text }: Headline & { kind: 'value' }) =>
      html`<p class="main">${name} <b>${text}</b></p>`,
    word: () => html`<p><span class="chip ${look}">${name}</span></p>`,
  };
  const isDoubted = current.suspect !== undefined && key.startsWith('pm');
  return html`${lead[headline.kind](headline as never)}
${
  value !== null &&
  html`<p class="main">${POLLUTANTS[key]} ${strong(formatBoth(locale, value, quantityOf(key)), isDoubted)}</p>`
}`;
}

/** The pollutant that makes the European index, in its hour; else PM2.5 of now. */
function mainOf({ verdict: { maker }, indices, values }: Current) {
  if (maker === undefined) return { key: 'pm2.5', value: values['pm2.5'] };
  return { key: maker, value: indices.european_index.values[maker] };
}

/**
 * Says to which hour a station's values belong, or to which digest a region's values; `of`: which
 * values, in a text with `{when}`.
 */
export function measuredAt(
  locale: Locale,
  values: Station | Region,
  time: string,
  of = '{when}',
): Html {
  const words = WORDS[locale];
  const text = isStation(values) ? words.meanOfHour : words.digestOf;
  const when = of.startsWith('{') ? text : `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  const format = isStation(values) ? formatClock : formatTime;
  return withTime(locale, of.replace('{when}', when), time, format);
}

/** More letters, or a longer word, would fill the head of a page on a phone. */
const isLong = (title: string) => title.length > 40 || /\S{17}/.test(title);

/**
 * The head of a page: `path` leads to it, `note` stands beneath the title, such as that something
 * is unreliable; `warnings` follows the advice.
 */
export function headPart(
  locale: Locale,
  subject: Subject,
  path: Html | false,
  note: Html | false,
  warnings: Html | false = false,
): Html {
  const words = WORDS[locale];
  const { values, suspect } = subject;
  const isSuspect = suspect !== undefined;
  const { verdict, index } = subject;
  const headline = headlineOf(locale, subject);
  const { measurement_time: time } = values;
  const buckets = lastDay(subject);
  const first = headline.kind === 'value' ? headline.quantity.key : verdict.maker;
  const named = QUANTITIES.filter(({ key }) => key === first);
  const quantity = [...named, PM25, ...QUANTITIES].find((one) =>
    buckets.some(({ point }) => measuredValue(point, one) !== null),
  );
  const newest = newestTime(subject.history);
  const isSuspectAt = (hour: string) => isSuspectIn(hour, subject.flags ?? []);
  const { measured_hours: hours = 0, expected_hours: expected = 0 } =
    subject.indices.completeness ?? {};
  const measured =
    quantity?.key === PM25.key &&
    expected > 0 &&
    ` · ${fill(words.hoursOf, { measured: hours, expected })}`;
  const colouring = quantity && colouringOf(verdict.by?.index ?? index, subject, quantity);
  const colours =
    colouring &&
    ` · ${fill(words.coloursOf, { index: INDEX_WORDS[colouring.index].short[locale] })}`;
  const mass = quantity && massText(locale, quantity);
  const missing =
    isStation(values) && values.status === 'offline' ? words.offlineSince : words.noRecent;
  const count = isStation(values) ? undefined : countOf(locale, values, subject.indices.particles);
  // the European index has its hour beside it
  const isOfNow = verdict.maker === undefined && time !== null;
  const when = [isOfNow && measuredAt(locale, values, time), count && html`${count}`].filter(
    Boolean,
  );
  return html`<section class="head" data-live="head">
<div class="card">${path}
<h1${isLong(values.title) && html` class="long"`}>${values.title}</h1>
${leadPart(locale, subject)}
${!isSuspect && hasTrend(verdict) && trendLine(locale, subject.indices.trend)}
${
  time !== null &&
  when.length > 0 &&
  html`<p class="when">${when.map((one, n) => html`${n > 0 && ' · '}${one}`)}</p>`
}
${
  time === null &&
  html`<p>${newest === undefined ? words.neverSent : withTime(locale, missing, newest)}</p>`
}
${note}
${isSuspect && html`<p class="warning">${suspect} ${ruleLink(locale, 'C9')}</p>`}
${!verdict.isSuspect && verdict.by !== undefined && advice(locale, verdict.by)}
${warnings}
</div>
${
  quantity !== undefined &&
  html`<figure class="card">
    <figcaption><h2>${fill(words.dayTitle, { name: word(words, quantity.key) })}</h2>${measured}${colours}${mass && ` · ${mass}`}</figcaption>
${dayChart(words, locale, buckets, quantity, isSuspectAt, colouring?.lookAt)}</figure>`
}
</section>`;
}

/**
 * The index that colours the bars of a quantity, and how each looks: by its own band of the European
 * index, or particles by the US one. Undefined where the index does not count it.
 */
function colouringOf(index: IndexName, { indices }: Subject, { key }: Quantity) {
  if (index === 'aqi')
    return key.startsWith('pm')
      ? { index, lookAt: ({ point }: Bucket) => categoryOf(measuredValue(point, AQI)) }
      : undefined;
  const { hours } = indices.european_index;
  const bands = new Map(
    hours.map(({ timestamp, pollutants }) => [timestamp, pollutants[key as Pollutant]]),
  );
  if (POLLUTANTS[key] === undefined) return undefined;
  return {
    index,
    lookAt({ timestamp }: Bucket): Look {
      const band = bands.get(timestamp) ?? null;
      return band === null ? 'unknown' : bandOf(band);
    },
  };
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
function advice(locale: Locale, { index, category }: NonNullable<Verdict['by']>): Html {
  const { url, text } = INDEX_WORDS[index].source;
  return html`<ul class="advice">${adviceFor(locale, index, category).map(
    ({ whom, advice }) => html`
    <li><b>${whom}:</b> ${advice}</li>`,
  )}</ul>
<p class="when"><a href="${url}">${text[locale]}</a></p>`;
}

/** The indices that the headline does not have, each with what it is for. */
export function indicesPart(locale: Locale, subject: Subject): Html {
  const words = WORDS[locale];
  const { indices, flags = [], values, verdict } = subject;
  const { nowcast, european_index: european } = indices;
  const entries: [string, Html, Html | string][] = [];
  const mark = (text: string, isSuspect: boolean) =>
    isSuspect
      ? html`<s>${text}</s> <span class="chip unknown">${words.suspect}</span>`
      : html`<b>${text}</b>`;
  const isEuropean = verdict.by?.index === 'eaqi';
  if (isEuropean && values.aqi !== null) {
    const aqi = formatValue(locale, values.aqi, AQI);
    const text = `${aqi}, ${words[categoryOf(values.aqi)].toLowerCase()}`;
    const isSuspect = subject.suspect !== undefined;
    entries.push([INDEX_WORDS.aqi.short[locale], mark(text, isSuspect), words.usNote]);
  }
  if (!isEuropean && european.index !== null && european.timestamp !== null) {
    const isSuspect = isSuspectIn(european.timestamp, flags);
    const measured = Object.entries(european.pollutants).filter(([, band]) => band !== null);
    const isParticle = ([key]: [string, unknown]) => key.startsWith('pm');
    const hasGas = measured.some((one) => !isParticle(one) && one[1] === european.index);
    const bands = measured.map(([key, band]) => {
      const text = `${word(words, key)}: ${words[bandOf(String(band))].toLowerCase()}`;
      return isSuspect && isParticle([key, band]) ? html`<s>${text}</s>` : html`${text}`;
    });
    const note = fill(words.europeanNote, { time: formatTime(locale, european.timestamp) });
    entries.push([
      INDEX_WORDS.eaqi.short[locale],
      mark(words[bandOf(european.index)], isSuspect && !hasGas), // a gas alone makes the index what it is
      html`${note}. ${bands.map((one, n) => html`${n > 0 && ', '}${one}`)}.`,
    ]);
  }
  if (nowcast['pm2.5'] !== null) {
    const isSuspect = lastDay(subject)
      .slice(-NOWCAST_HOURS)
      .some(({ timestamp }) => isSuspectIn(timestamp, flags));
    const ofAqi = nowcast.aqi === null ? '' : `, AQI ${formatValue(locale, nowcast.aqi, AQI)}`;
    entries.push([
      words.nowcast,
      mark(`${formatValue(locale, nowcast['pm2.5'], PM25)}${ofAqi}`, isSuspect),
      '',
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
