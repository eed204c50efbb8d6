/** Words of feeds and pages about changes, in every language of the API. */
import type { Locale } from '../contract/endpoints.ts';
import type { Reason } from '../contract/explore/changes.ts';
import type { Titles } from './localizedText.ts';

type Key =
  | 'feed'
  | 'feedOf'
  | 'hours'
  | 'flaggedHours'
  | 'span'
  | 'all'
  | 'more'
  | 'raised'
  | 'lifted'
  | 'thp'
  | 'pm'
  | 'silent'
  | 'again';

export const CHANGE_WORDS: Readonly<
  Record<
    Locale,
    Record<Key, string> & { reasons: Record<Reason, string>; tests: Record<string, string> }
  >
> = {
  en: {
    feed: 'Changes of published numbers',
    feedOf: '{place}: changes of published numbers',
    hours: 'Recomputed: the hours from {spans}.',
    flaggedHours:
      'Flagged: the hours from {spans}. Its own numbers stay as they were; those of its regions were recomputed.',
    span: '{first} to {last}',
    all: 'all stations',
    more: '{names} and {n} more',
    raised: 'Flag raised: {what} ({test})',
    lifted: 'Flag lifted: {what} ({test})',
    thp: 'temperature, humidity and pressure',
    pm: 'particles',
    silent: 'No readings since {time}',
    again: 'Readings again since {time}',
    reasons: {
      late: 'late readings',
      corrected: 'corrected readings',
      deleted: 'deleted readings',
      placement: 'sensor moved or left out',
      formula: 'another correction of a sensor',
      membership: 'its stations changed',
      flag: 'a flag of the operator',
      screening: 'suspect values found by screening',
      zone: 'new rules of the time zone',
      version: 'a new version of the program',
      repair: 'repaired means',
    },
    tests: {
      operator: 'set by the operator',
      zero_values: 'zero values',
      pressure_off_altitude: 'pressure does not fit the altitude',
      humidity_saturated: 'humidity stays saturated',
      constant_temperature: 'constant temperature',
      constant_humidity: 'constant humidity',
      constant_pressure: 'constant pressure',
      sensors: 'its sensors disagree',
      flat: 'the same value for many hours',
      outlier: 'far above its neighbours',
    },
  },
  ru: {
    feed: 'Изменения опубликованных данных',
    feedOf: '{place}: изменения опубликованных данных',
    hours: 'Пересчитаны часы {spans}.',
    flaggedHours:
      'Пометка на часы {spans}. Её собственные данные не изменились; пересчитаны данные её города и района.',
    span: 'с {first} по {last}',
    all: 'все станции',
    more: '{names} и ещё {n}',
    raised: 'Пометка поставлена: {what} ({test})',
    lifted: 'Пометка снята: {what} ({test})',
    thp: 'температура, влажность и давление',
    pm: 'частицы',
    silent: 'Нет измерений с {time}',
    again: 'Измерения снова поступают с {time}',
    reasons: {
      late: 'запоздавшие измерения',
      corrected: 'исправленные измерения',
      deleted: 'удалённые измерения',
      placement: 'датчик перемещён или исключён',
      formula: 'другая коррекция датчика',
      membership: 'изменился состав станций',
      flag: 'пометка оператора',
      screening: 'сомнительные значения, найденные проверкой',
      zone: 'новые правила часового пояса',
      version: 'новая версия программы',
      repair: 'исправленные средние',
    },
    tests: {
      operator: 'поставлена оператором',
      zero_values: 'нулевые значения',
      pressure_off_altitude: 'давление не соответствует высоте',
      humidity_saturated: 'влажность всё время предельная',
      constant_temperature: 'неизменная температура',
      constant_humidity: 'неизменная влажность',
      constant_pressure: 'неизменное давление',
      sensors: 'её датчики расходятся',
      flat: 'много часов одно и то же значение',
      outlier: 'намного выше, чем у соседей',
    },
  },
  hy: {
    feed: 'Հրապարակված տվյալների փոփոխություններ',
    feedOf: '{place}. հրապարակված տվյալների փոփոխություններ',
    hours: 'Վերահաշվարկվել են ժամերը՝ {spans}։',
    flaggedHours:
      'Նշված ժամերը՝ {spans}։ Կայանի սեփական տվյալները չեն փոխվել. վերահաշվարկվել են նրա քաղաքի և շրջանի տվյալները։',
    span: '{first}-ից մինչև {last}',
    all: 'բոլոր կայանները',
    more: '{names} և ևս {n}',
    raised: 'Նշումը դրվել է՝ {what} ({test})',
    lifted: 'Նշումը հանվել է՝ {what} ({test})',
    thp: 'ջերմաստիճան, խոնավություն և ճնշում',
    pm: 'մասնիկներ',
    silent: 'Չափումներ չկան {time}-ից',
    again: 'Չափումները վերսկսվել են {time}-ից',
    reasons: {
      late: 'ուշացած չափումներ',
      corrected: 'ուղղված չափումներ',
      deleted: 'ջնջված չափումներ',
      placement: 'տվիչը տեղափոխվել է կամ հաշվից հանվել',
      formula: 'տվիչի այլ ուղղում',
      membership: 'փոխվել է կայանների կազմը',
      flag: 'օպերատորի նշում',
      screening: 'ստուգմամբ գտնված կասկածելի արժեքներ',
      zone: 'ժամային գոտու նոր կանոններ',
      version: 'ծրագրի նոր տարբերակ',
      repair: 'ուղղված միջիններ',
    },
    tests: {
      operator: 'դրել է օպերատորը',
      zero_values: 'զրոյական արժեքներ',
      pressure_off_altitude: 'ճնշումը չի համապատասխանում բարձրությանը',
      humidity_saturated: 'խոնավությունը մշտապես առավելագույնն է',
      constant_temperature: 'անփոփոխ ջերմաստիճան',
      constant_humidity: 'անփոփոխ խոնավություն',
      constant_pressure: 'անփոփոխ ճնշում',
      sensors: 'դրա տվիչների արժեքները չեն համընկնում',
      flat: 'երկար ժամեր նույն արժեքը',
      outlier: 'հարևաններից շատ ավելի բարձր',
    },
  },
};

/** A change of any of the three documents. */
export type Change = {
  shown_at: string;
  reason: Reason;
  hours: readonly { first_hour: string; last_hour: string }[];
  stations?: readonly number[] | null;
  station_count?: number | null;
  sensors?: readonly number[];
  regions?: readonly string[];
};

/**
 * Why numbers changed, in words, with the names of at most `most` causes: `late readings (First
 * street, Second street and 3 more)`.
 */
export function whyOf(
  locale: Locale,
  { reason, stations, station_count, sensors = [], regions = [] }: Change,
  titles: Pick<Titles, 'stations' | 'regions'>,
  most: number,
): string {
  const words = CHANGE_WORDS[locale];
  const why = words.reasons[reason];
  if (stations === null) return `${why} (${words.all})`;
  const names = [
    ...sensors.map(String),
    ...(stations ?? []).map((id) => titles.stations.get(String(id)) ?? String(id)),
    ...regions.map((slug) => titles.regions.get(slug) ?? slug),
  ];
  if (names.length === 0) return why;
  const unnamed =
    sensors.length + (station_count ?? 0) + regions.length - Math.min(names.length, most);
  const shown = names.slice(0, most).join(', ');
  return `${why} (${unnamed > 0 ? fill(words.more, { names: shown, n: unnamed }) : shown})`;
}

/**
 * True of a flag in the document of its station, whose own numbers stay. Only changes of stations
 * have sensors.
 */
export const isFlagOnly = ({ reason, sensors }: Change): boolean =>
  sensors !== undefined && (reason === 'flag' || reason === 'screening');

/** A text with its `{name}`s filled in. */
export const fill = (text: string, values: Record<string, string | number>) =>
  text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
