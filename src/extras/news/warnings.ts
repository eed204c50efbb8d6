/** Renders the feeds of warnings: changes of the air quality category. */
import type { Locale } from '../../contract/endpoints.ts';
import type { ExploreAnswer, FeedName } from '../../contract/explore.ts';
import { fill } from '../../contract/words/form.ts';
import { adviceFor, INDEX_WORDS, type IndexName } from '../../contract/words/indices.ts';
import { COMMON_WORDS } from '../../contract/words/words.ts';
import type { ApiRow } from '../../database/apiDb.ts';
import type { Documents } from '../../serve/documents.ts';
import { type Entry, earlier, validityOf } from '../../serve/entry.ts';
import { paragraphs } from './atom.ts';
import {
  type FeedEntry,
  type FeedSources,
  type FeedSubject,
  type Publish,
  regionSubject,
  stationSubject,
} from './publish.ts';
import { WORDS } from './words.ts';

type Warning = ExploreAnswer<'regionWarnings'>['warnings'][number];
type WarningRow = ApiRow<'station_warnings_json'> | ApiRow<'region_warnings_json'>;

const HOUR_MS = 3_600_000;
/** As people write them, in every language. */
const POLLUTANTS = { 'pm2.5': 'PM2.5', pm10: 'PM10', o3: 'O₃', no2: 'NO₂', so2: 'SO₂' } as const;

const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
/** All pollutants are published with one decimal. */
const NUMBERS: Readonly<Record<Locale, Intl.NumberFormat>> = {
  en: new Intl.NumberFormat('en', ONE_DIGIT),
  ru: new Intl.NumberFormat('ru', ONE_DIGIT),
  hy: new Intl.NumberFormat('hy', ONE_DIGIT),
};

const DATE = { day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
const DATES: Readonly<Record<Locale, Intl.DateTimeFormat>> = {
  en: new Intl.DateTimeFormat('en-GB', DATE),
  ru: new Intl.DateTimeFormat('ru', DATE),
  hy: new Intl.DateTimeFormat('hy', DATE),
};

/** How each feed is rendered. */
export function makeWarningFeeds(
  { readRow, reader, urls }: FeedSources,
  publish: Publish,
): Documents<Extract<FeedName, `${string}WarningsFeed`>> {
  async function presentFeed(
    locale: Locale,
    row: WarningRow,
    subject: FeedSubject,
  ): Promise<Entry> {
    const { titles, ...ofTitles } = await reader.titles();
    const index = row.index as IndexName;
    const warnings = JSON.parse(row.warnings) as Warning[];
    const place = titles[locale][subject.kind].get(subject.key) ?? subject.key;
    const document = publish({
      locale,
      name: 'warnings',
      subject,
      title: fill(COMMON_WORDS[locale].feeds.warnings, { place }),
      description: fill(WORDS[locale].warnings.rule, { index: INDEX_WORDS[index].name[locale] }),
      entries: warnings.map((warning) => entryFor(locale, index, warning, place)),
      since: row.since,
    });
    return { document, ...earlier(validityOf([row]), ofTitles) };
  }

  return {
    async stationWarningsFeed(values) {
      const { locale, id } = values;
      const row = await readRow('stationWarnings', values);
      return await presentFeed(locale, row, stationSubject(urls, locale, id));
    },

    async regionWarningsFeed(values) {
      const { locale, slug } = values;
      const row = await readRow('regionWarnings', values);
      return await presentFeed(locale, row, regionSubject(urls, locale, slug, row.city_slug));
    },
  };
}

/** Its id names the instant at which it was announced, and so does its time. */
function entryFor(locale: Locale, index: IndexName, warning: Warning, place: string): FeedEntry {
  const { timestamp, announced_at, before, aqi, pollutant, unit } = warning;
  const words = WORDS[locale].warnings;
  const { source } = INDEX_WORDS[index];
  const grade = gradeOf(index, warning.category);
  const former = before === null ? undefined : gradeOf(index, before);
  const isBetter = former !== undefined && grade.rank < former.rank;
  const isAllClear = isBetter && grade.rank <= gradeOf(index, 'moderate').rank;
  const category = grade.name[locale];
  const value = NUMBERS[locale].format(warning[pollutant] ?? 0);
  const scale = index === 'aqi' ? fill(words.aqi, { aqi: aqi ?? 0 }) : words.eaqi;
  const quantity = `${POLLUTANTS[pollutant]} ${value} ${unit === 'µg/m³' ? words[unit] : unit}`;
  const title = fill(isAllClear ? words.allClear : '{place}: {category}', { place, category });
  const change = isBetter ? words.better : words.worse;
  const advice = isAllClear
    ? []
    : [
        ...adviceFor(locale, index, grade.key).map(({ whom, advice }) => `${whom}: ${advice}`),
        `${source.text[locale]}: ${source.url}`,
      ];
  const announced = new Date(announced_at).toISOString();
  return {
    date: announced,
    key: announced.replace('.000Z', 'Z'),
    title: `${arrowOf(grade, former)}${title} (${quantity}, ${scale}), ${hourOf(locale, timestamp)}`,
    html: paragraphs([
      former === undefined ? words.first : fill(change, { before: former.name[locale] }),
      ...(isBetter ? [fill(words.threeHours, { category })] : []),
      ...advice,
    ]),
  };
}

/** Up where the index has risen. */
function arrowOf({ rank }: { rank: number }, former: { rank: number } | undefined): string {
  if (former === undefined) return '';
  return rank < former.rank ? '↓ ' : '↑ ';
}

/** `2026-11-20T08:00:00+04:00` as `20 November, 08:00–09:00`: its time is local already. */
function hourOf(locale: Locale, timestamp: string): string {
  const start = new Date(`${timestamp.slice(0, 19)}Z`);
  const time = (at: number) => new Date(at).toISOString().slice(11, 16);
  const end = start.getTime() + HOUR_MS;
  return `${DATES[locale].format(start)}, ${time(start.getTime())}–${time(end)}`;
}

/** The names of a category within a sentence, its key and its rank among the worse ones. */
function gradeOf(index: IndexName, category: string) {
  const grades = Object.entries(INDEX_WORDS[index].grades);
  const rank = grades.findIndex(([, { name }]) => name.en.toLowerCase() === category);
  const [key, { name }] = grades[rank] ?? unknown(category);
  const small = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1);
  return { key, rank, name: { en: small(name.en), ru: small(name.ru), hy: small(name.hy) } };
}

function unknown(name: string): never {
  throw new Error(`no words for ${name}`);
}
