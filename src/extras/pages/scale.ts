/**
 * The scales of both indices: the categories of the US EPA's (Q1, Q2), the bands of the European one
 * (X1), and the bounds that charts draw. Shared with the browser, so it imports nothing.
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

/** Worst last. A prefix tells them from the categories of the US EPA. */
export const BANDS = [
  'band-good',
  'band-fair',
  'band-moderate',
  'band-poor',
  'band-very-poor',
  'band-extremely-poor',
] as const;

/**
 * `offline` is a station that does not report; `unknown` is one that reports no particulate matter,
 * and a region without recent values.
 */
export type Category = (typeof CATEGORIES)[number]['name'] | 'unknown' | 'offline';
export type Band = (typeof BANDS)[number];

/** How a place may look, which is a class of the style and the key of its word. */
export type Look = Category | Band;

/** Stands for the lack of a category. */
export const OTHER_LOOKS = ['unknown', 'offline'] as const;

/** `very poor`, as the API has it, is the band `band-very-poor`. */
export const bandOf = (name: string): Band => `band-${name.replace(' ', '-')}` as Band;

/** The categories of both indices, best first. */
export const SCALES: Readonly<Record<'aqi' | 'eaqi', readonly Look[]>> = {
  aqi: CATEGORIES.map(({ name }) => name),
  eaqi: BANDS,
};

export function categoryOf(aqi: number | null): Category {
  return aqi === null
    ? 'unknown'
    : (CATEGORIES.find(({ upTo }) => aqi <= upTo)?.name ?? 'hazardous');
}

/**
 * The US EPA's index; or the European one: the position of its band, from 0, and the mean of the
 * pollutant that makes it, in whole µg/m³. Null: neither is known.
 */
export type Grade = number | readonly [band: number, concentration: number] | null;

const isEuropean = (grade: Grade) => typeof grade === 'object' && grade !== null;

export const lookOf = (grade: Grade): Look =>
  isEuropean(grade) ? (BANDS[grade[0]] ?? 'unknown') : categoryOf(grade);

/** More than the numbers of a category that is not the last. */
const PER_CATEGORY = 1_000;

/**
 * How bad it is, for an order of places by either index. Both scales have six categories, and each
 * ranks with the one at its position in the other scale; within a category the number of
 * its box decides, or a list would not look sorted; those of the European index come last, because
 * the numbers of different scales can't be compared. -1: not known.
 */
export function rankOf(grade: Grade): number {
  if (grade === null) return -1;
  if (isEuropean(grade)) return grade[0] * PER_CATEGORY + grade[1] / PER_CATEGORY;
  return CATEGORIES.findIndex(({ upTo }) => grade <= upTo) * PER_CATEGORY + grade;
}

/** The same in every language. */
export const POLLUTANTS: Readonly<Record<string, string>> = {
  'pm2.5': 'PM2.5',
  pm10: 'PM10',
  o3: 'O₃',
  no2: 'NO₂',
  so2: 'SO₂',
};

/** Where the scale of the US EPA's index ends. */
export const LAST_AQI = 500;

/** In a box or pin: the index, or the concentration behind the European one; else a dash. */
export function boxText(grade: Grade): string {
  if (grade === null) return '–';
  if (isEuropean(grade)) return String(grade[1]);
  return grade > LAST_AQI ? `>${LAST_AQI}` : String(grade);
}

/** Upper ends of the categories as concentrations [µg/m³] (Q2). */
export const BOUNDS: Readonly<Record<string, readonly number[]>> = {
  'pm2.5': [9, 35.4, 55.4, 125.4, 225.4],
  pm10: [54, 154, 254, 354, 424],
};

/** Upper ends of the European bands as rounded means [µg/m³] (X1). */
const EUROPEAN_BOUNDS: Readonly<Record<string, readonly number[]>> = {
  'pm2.5': [5, 15, 50, 90, 140],
  pm10: [15, 45, 120, 195, 270],
  o3: [60, 100, 120, 160, 180],
  no2: [10, 25, 60, 100, 150],
  so2: [20, 40, 125, 190, 275],
};

/** The concentrations between the categories of an index; `mass`: µg/m³ in a unit of what is drawn. */
export const boundsOf = (
  index: 'aqi' | 'eaqi',
  { key, mass = 1 }: { key: string; mass?: number },
): readonly number[] =>
  index === 'aqi'
    ? (BOUNDS[key] ?? [])
    : (EUROPEAN_BOUNDS[key] ?? []).map((end) => (end + 0.5) / mass);

/** The guidelines of the WHO (2021) for a mean of 24 hours and of a year [µg/m³]. */
export const GUIDELINES: Readonly<Record<string, { day: number; year: number }>> = {
  'pm2.5': { day: 15, year: 5 },
  pm10: { day: 45, year: 15 },
};
