/**
 * The texts that the browser needs for the history: the page of a place has no others for it. Shared
 * with the browser, where the compiler names one that is missing.
 */
import { BANDS, type Band, CATEGORIES, type Category, OTHER_LOOKS } from './scale.ts';

const TEXTS = [
  'aqi',
  'aqiNote',
  'asTable',
  'band',
  'calendar',
  'calendarKeys',
  'change',
  'chartKeys',
  'dailyMeans',
  'dailySums',
  'fewHours',
  'firstHourAsJson',
  'highestHour',
  'hourlyMeans',
  'hourlySums',
  'hoursExpected',
  'hoursForExcel',
  'hoursMeasured',
  'hoursOf',
  'lastYear',
  'loading',
  'lowestHour',
  'monthlyMeans',
  'monthlySums',
  'noValue',
  'noValues',
  'ofHours',
  'range',
  'readingsAsJson',
  'runningMonth',
  'stationsAsJson',
  'suspect',
  'suspectDashed',
  'tableForExcel',
  'time',
  'tryAgain',
  'unavailable',
  'whoDay',
  'whoShort',
  'whoYear',
  'wind_direction',
  'windowForExcel',
] as const;

const LOOKS = [...CATEGORIES.map(({ name }) => name), ...OTHER_LOOKS, ...BANDS];

type Name = (typeof TEXTS)[number] | Category | Band;
export type HistoryWords = Readonly<Record<Name, string>>;

/** `keys`: texts of parameters and windows as well. */
export const historyWords = (
  words: HistoryWords & Readonly<Record<string, string>>,
  keys: readonly string[],
): HistoryWords =>
  Object.fromEntries([...TEXTS, ...LOOKS, ...keys].map((key) => [key, words[key]])) as HistoryWords;
