/**
 * The other current values, a tile each: with its last 24 hours, and for pollutants of the European
 * index the band of the last hour; where that is the headline, with their means of this hour.
 */
import type { Locale } from '../../contract/endpoints.ts';
import { fill, formatBare, formatMass, formatValue, formatWind, type Quantity } from './format.ts';
import { type Html, html } from './html.ts';
import {
  GROUPS,
  headlineOf,
  lastDay,
  measuredAt,
  quantityOf,
  type Subject,
  valueIn,
  valueOfHour,
  word,
} from './now.ts';
import { formatTime } from './numbers.ts';
import { strong } from './parts.ts';
import { hourBars, sparkline } from './pictures.ts';
import { bandOf } from './scale.ts';
import { isOfParticles, isSuspectIn, measuredValue } from './series.ts';
import { WORDS } from './words.ts';

/** Tiles in groups, without the parameters that have no value. */
export function tilesPart(locale: Locale, subject: Subject): Html {
  const words = WORDS[locale];
  const { timestamp } = subject.indices.european_index;
  const { measurement_time: now } = subject.values;
  const headline = headlineOf(locale, subject);
  const { maker = 'pm2.5' } = subject.verdict;
  const leads = [maker, ...(headline.kind === 'value' ? [headline.quantity.key] : [])];
  const bands = bandsOf(subject);
  const groups = GROUPS.map(({ title, keys }) => {
    const shown = keys.filter((key) => !leads.includes(key));
    const tiles = shown.map((key) => tileOf(locale, subject, key)).filter((one) => one !== false);
    return (
      tiles.length > 0 && html`<div><h3>${words[title]}</h3><dl class="tiles">${tiles}</dl></div>`
    );
  }).filter((group) => group !== false);
  const isJudged = timestamp !== null && Object.values(bands).some((band) => band !== null);
  const isOfHour = subject.verdict.maker !== undefined && now !== null;
  const note = html`${
    isJudged &&
    html`<p class="when">${fill(isOfHour ? words.ratedNote : words.bandNote, { time: formatTime(locale, timestamp) })}</p>`
  }${isOfHour && html`<p class="when">${measuredAt(locale, subject.values, now, isJudged ? words.othersNote : undefined)}</p>`}`;
  return html`<section data-live="values">${
    groups.length > 0 &&
    html`<div class="card">
    <h2>${words.now}</h2>
    <div class="groups">${groups}</div>
    ${note}</div>`
  }</section>`;
}

/** The bands of the pollutants that have a tile; suspect particles have none. */
function bandsOf(subject: Subject): Readonly<Record<string, string | null>> {
  const { verdict, indices, suspect } = subject;
  const tiled = Object.entries(indices.european_index.pollutants).filter(
    ([key]) =>
      key !== (verdict.maker ?? 'pm2.5') && !(suspect !== undefined && key.startsWith('pm')),
  );
  return Object.fromEntries(tiled);
}

function tileOf(locale: Locale, subject: Subject, key: string): Html | false {
  const words = WORDS[locale];
  const quantity = quantityOf(key);
  const value = valueOfHour(subject, key) ?? valueIn(subject, key);
  const speed = valueIn(subject, 'wind_speed');
  // the direction stands with the speed
  if (value === null || (key === 'wind_direction' && speed !== null)) return false;
  const band = bandsOf(subject)[key] ?? null;
  const isSuspect = subject.suspect !== undefined && isOfParticles(quantity);
  const mass = typeof value === 'number' ? formatMass(locale, value, quantity) : ''; // as in limits
  const wind = key === 'wind_speed' ? valueIn(subject, 'wind_direction') : null;
  return html`<div class="tile${band !== null && ` ${bandOf(band)}`}">
    <dt>${word(words, key)}</dt>
    <dd>${
      typeof value === 'string'
        ? windOf(words.windNames, value)
        : strongOrPlain(formatValue(locale, value, quantity), isSuspect)
    }${typeof wind === 'string' && html` <span>${windOf(words.windNames, wind)}</span>`}</dd>${
      band !== null &&
      html`<dd class="word">${words[bandOf(band)]}${mass !== '' && ` · ${mass}`}</dd>`
    }${key === 'rain' && html`<dd class="word">${words.inLastHour}</dd>`}${
      typeof value === 'number' && html`<dd>${dayOf(locale, subject, quantity, value)}</dd>`
    }</div>`;
}

const strongOrPlain = (text: string, isSuspect: boolean): Html | string =>
  isSuspect ? strong(text, true) : text;

const COMPASS = 'N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW'.split(' ');

/** Where the wind comes from, in letters, and an arrow to where it goes. */
const windOf = (letters: string, from: string): Html =>
  html`<svg class="wind" viewBox="-8 -8 16 16" aria-hidden="true">
    <path class="arrow" d="M0 7V-7L-3.5 -2.5M0 -7L3.5 -2.5"
    transform="rotate(${COMPASS.indexOf(from) * 22.5 + 180})"/></svg> ${formatWind(letters, from)}`;

/**
 * A picture of 24 hours and the current value, with their lowest and highest, or since when there
 * are values; of rain its sum. Its current hour may reach into the last closed one, so only what it
 * has more than that is added.
 */
function dayOf(locale: Locale, subject: Subject, quantity: Quantity, now: number): Html {
  const words = WORDS[locale];
  const buckets = lastDay(subject);
  const hours = buckets.map(({ point }) => measuredValue(point, quantity));
  const known = hours.filter((value) => value !== null);
  if (known.length === 0) return html`<small>${words.noDay}</small>`;
  const first = hours.findIndex((value) => value !== null);
  const isWhole = first === 0 && buckets.length === 24;
  const time = buckets[first]?.timestamp.slice(11, 16) ?? '';
  if (quantity.key === 'rain') {
    const total = known.reduce((sum, hour) => sum + hour, Math.max(0, now - (hours.at(-1) ?? 0)));
    const sum = formatValue(locale, total, quantity);
    return html`${hourBars(hours)}<small>${fill(isWhole ? words.daySum : words.sumSince, { time, sum })}</small>`;
  }
  const [low = '', high = ''] = [Math.min(...known, now), Math.max(...known, now)].map((end) =>
    formatBare(locale, end, quantity),
  );
  const isSuspectAt = (n: number) => {
    const hour = buckets[n]?.timestamp;
    if (!isOfParticles(quantity)) return false;
    return hour === undefined
      ? subject.suspect !== undefined
      : isSuspectIn(hour, subject.flags ?? []);
  };
  const text = fill(isWhole ? words.dayRange : words.rangeSince, { time, low, high });
  return html`${sparkline([...hours, now], isSuspectAt)}<small>${text}</small>`;
}
