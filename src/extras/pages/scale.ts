/**
 * The categories of the US EPA's index (Q1, Q2) and the bounds that charts draw. Shared with the
 * browser, so it imports nothing.
 */

/** Worst last. `upTo`: the highest index in it. */
export const CATEGORIES = [
  { name: 'good', upTo: 50 },
  { name: 'moderate', upTo: 100 },
  { name: 'sensitive', upTo: 150 },
  { name: 'unhealthy', upTo: 200 },
  { name: 'very-unhealthy', upTo: 300 },
  { name: 'hazardous', upTo: Number.POSITIVE_INFINITY },
] as const;

/** The bands of the European index (X1), worst last. Their names have a prefix of their own. */
export const BANDS = [
  'band-good',
  'band-fair',
  'band-moderate',
  'band-poor',
  'band-very-poor',
  'band-extremely-poor',
] as const;

export type Band = (typeof BANDS)[number];

/** `very poor`, as the API has it, is the band `band-very-poor`. */
export const bandOf = (name: string): Band => `band-${name.replace(' ', '-')}` as Band;

/**
 * `offline` is a station that does not report; `unknown` is one that reports no particulate matter,
 * and a region without recent values.
 */
export type Category = (typeof CATEGORIES)[number]['name'] | 'unknown' | 'offline';

/** All categories, the categories of an index first. */
export const CATEGORY_NAMES: readonly Category[] = [
  ...CATEGORIES.map(({ name }) => name),
  'unknown',
  'offline',
];

export function categoryOf(aqi: number | null): Category {
  return aqi === null
    ? 'unknown'
    : (CATEGORIES.find(({ upTo }) => aqi <= upTo)?.name ?? 'hazardous');
}

/** Upper ends of the categories as concentrations [µg/m³] (Q2). */
export const BOUNDS: Readonly<Record<string, readonly number[]>> = {
  'pm2.5': [9, 35.4, 55.4, 125.4, 225.4],
  pm10: [54, 154, 254, 354, 424],
};

/** The guidelines of the WHO (2021) for a mean of 24 hours and of a year [µg/m³]. */
export const GUIDELINES: Readonly<Record<string, { day: number; year: number }>> = {
  'pm2.5': { day: 15, year: 5 },
  pm10: { day: 45, year: 15 },
};
