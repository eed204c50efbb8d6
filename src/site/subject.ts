/** The page of a station or a region: current values, health, and the places where the browser draws history. */
import type { Region, Station } from '../contract/current.ts';
import { BASE_PATH, type Locale, type StationsList } from '../contract/endpoints.ts';
import { keyOf, PARAMETERS, type ParameterName } from '../contract/parameters.ts';
import { RULES, type RuleName } from '../contract/rules.ts';
import { WINDOWS } from '../contract/windows.ts';
import { developerPart } from './developers.ts';
import { fill, formatValue, PM25 } from './format.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';
import { renderMap } from './map.ts';
import { formatNumber } from './numbers.ts';
import { stationList } from './overview.ts';
import { chip, regionPath, stationCategory, stationMark, withTime } from './parts.ts';
import { type Category, categoryOf } from './scale.ts';
import { WORDS, type Words } from './words.ts';

type Key = Exclude<ParameterName, `pm25${string}`> | 'pm2.5' | 'pm2.5_raw';
/** The compiler reports a parameter or window that has no name in `words.ts`. */
const NAMES: Record<Locale, Readonly<Record<Key | `window${(typeof WINDOWS)[number]['key']}`, string>>> = WORDS;

/** The parameters in the order used everywhere, as pages show them. */
export const QUANTITIES = PARAMETERS.map(({ name, unit, digits }) => ({ key: keyOf(name) as Key, unit, digits }));

const SCRIPTS = ['live', 'explore', 'developers'];

export function stationPage(locale: Locale, station: Station, providers: StationsList['providers']): Page {
  const words = WORDS[locale];
  const { city, city_slug: citySlug, district, district_slug: districtSlug, status } = station;
  const provider = providers.find(({ id }) => id === station.provider);
  return {
    locale,
    path: `station/${station.id}`,
    title: station.title,
    scripts: SCRIPTS,
    body: html`<p class="path"><a href="/${locale}/">${words.overview}</a>${citySlug !== null && html` › <a href="${regionPath(locale, { slug: citySlug })}">${city}</a>`}${districtSlug !== null && html` › <a href="${regionPath(locale, { slug: districtSlug })}">${district}</a>`}</p>
<h1>${station.title}</h1>
${nowPart(locale, stationCategory(station), station, status === 'offline' ? words.offlineSince : words.noRecent, words.meanOfHour)}
${station.is_bad_thp && html`<p class="warning">${words.flagged}</p>`}
${provider !== undefined && html`<p>${words.provider} ${provider.url === '' ? provider.title : html`<a href="${provider.url}">${provider.title}</a>`}</p>`}
${valuesTable(locale, station)}
${rulesPart(locale, 'C1', 'S5', 'aqi')}
${historyPart(words, locale, `station/${station.id}`)}
${developerPart(words, locale, `station/${station.id}`)}`,
  };
}

/** `stations`: those of the region. */
export function regionPage(locale: Locale, region: Region, stations: readonly Station[]): Page {
  const words = WORDS[locale];
  const isDistrict = 'city_slug' in region;
  const marks = stations.map((station) => stationMark(locale, station));
  const count = region.station_count;
  return {
    locale,
    path: `region/${region.slug}`,
    title: region.title,
    scripts: ['map', ...SCRIPTS],
    body: html`<p class="path"><a href="/${locale}/">${words.overview}</a>${isDistrict && html` › <a href="${regionPath(locale, { slug: region.city_slug })}">${region.city}</a>`}</p>
<h1>${region.title}</h1>
${nowPart(locale, categoryOf(region.aqi), region, words.noRecent, words.digestOf)}
${count !== null && html`<p>${fill(words.stationCount, { n: count })}</p>`}
<div class="overview"><div>${valuesTable(locale, region)}
${rulesPart(locale, 'C4', 'aqi')}
${healthPart(words, locale, region)}</div>
<div>${renderMap(marks, words)}
${stationList(words.stations, locale, stations)}</div></div>
${historyPart(words, locale, `region/${region.slug}`)}
${developerPart(words, locale, `region/${region.slug}`)}`,
  };
}

type Values = Pick<Station, 'measurement_time' | 'aqi' | 'pm2.5'>;

/** The category, PM2.5 and what they are the mean of; in the browser, the other indices as well. */
function nowPart(locale: Locale, category: Category, values: Values, without: string, meaning: string): Html {
  const words = WORDS[locale];
  const { measurement_time: time, 'pm2.5': pm25 } = values;
  if (time === null) return html`<div class="now">${chip(words, category, null)}<p>${without}</p></div>`;
  return html`<div class="now">
${chip(words, category, values.aqi)}
<p class="big">PM2.5 <b>${formatValue(locale, pm25, PM25)}</b></p>
<p>${withTime(locale, meaning, time)}</p>
<div id="indices"></div>
</div>`;
}

/** A line that unfolds into the rules by which the numbers above it come about. */
function rulesPart(locale: Locale, ...names: RuleName[]): Html {
  return html`<details class="inputs"><summary>${WORDS[locale].inputs}</summary>${names.map((name) => html`<p class="rule">${RULES[name][locale]}</p>`)}</details>`;
}

/** The parameters that have a value. */
function valuesTable(locale: Locale, values: Station | Region): Html {
  const known = new Map<string, unknown>(Object.entries(values));
  const rows = QUANTITIES.flatMap((quantity) => {
    const value = known.get(quantity.key);
    if (typeof value === 'string' && quantity.key === 'wind_direction') return [{ key: quantity.key, text: value }];
    return typeof value === 'number' ? [{ key: quantity.key, text: formatValue(locale, value, quantity) }] : [];
  });
  if (rows.length === 0) return html``;
  return html`<table class="values"><tbody>
${rows.map(({ key, text }) => html`<tr><th scope="row">${NAMES[locale][key]}</th><td>${text}</td></tr>\n`)}</tbody></table>`;
}

function healthPart(words: Words, locale: Locale, region: Region): Html {
  const ratio = (mean: number | null, times: number | null) => {
    if (mean === null) return '–';
    return `${formatValue(locale, mean, PM25)}, ${times === null ? words.withinGuideline : fill(words.times, { n: formatNumber(locale, times, 1) })}`;
  };
  const cigarettes = region.month_cigarettes;
  const rows: [string, string][] = [
    [words.whoDaily, ratio(region['who_daily_pm2.5'], region.who_daily_exceedance)],
    [words.whoYearly, ratio(region['who_year_pm2.5'], region.who_yearly_exceedance)],
    [words.exceedanceDays, formatNumber(locale, region['who_pm2.5_exceedance_days'], 0)],
    [
      words.cigarettes,
      cigarettes === null ? '–' : fill(words.cigarettesUnit, { n: formatNumber(locale, cigarettes, 1) }),
    ],
  ];
  return html`<h2>${words.health}</h2>
<table class="values"><tbody>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>
${rulesPart(locale, 'W1', 'W2', 'W3', 'W4')}`;
}

/** Filled by the browser (`browser/explore.ts`), which finds the subject and the words here. */
function historyPart(words: Words, locale: Locale, subject: string): Html {
  const url = `${BASE_PATH.replace('{locale}', locale)}/${subject}-history.json`;
  const rules = Object.fromEntries(Object.entries(RULES).map(([name, texts]) => [`rule ${name}`, texts[locale]]));
  return html`<section id="history" data-subject="${subject}" data-locale="${locale}" data-windows="${JSON.stringify(WINDOWS)}" data-quantities="${JSON.stringify(QUANTITIES)}">
<h2>${words.history}</h2>
<noscript><p>${words.needsScript} <a href="${url}">${url}</a></p></noscript>
</section>
<script type="application/json" id="words">${{ text: JSON.stringify({ ...words, ...rules }).replaceAll('<', '\\u003c') }}</script>`;
}
