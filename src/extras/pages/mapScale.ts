/**
 * The parameters that a map shows hour by hour, and how it colours their values. Shared with the
 * browser.
 */
import { BANDS, BOUNDS, bandOf, CATEGORIES, type Look } from './scale.ts';

export const MAP_PARAMETERS = ['pm2.5', 'pm10', 'no2', 'o3', 'temperature'] as const;
export type MapParameter = (typeof MAP_PARAMETERS)[number];

/** Decimals published of each of them. */
export const MAP_DIGITS = 1;

/** The scale of temperature, the coldest first. `upTo` in °C. */
export const STEPS = [
  { name: 'step-0', upTo: -10 },
  { name: 'step-1', upTo: 0 },
  { name: 'step-2', upTo: 10 },
  { name: 'step-3', upTo: 20 },
  { name: 'step-4', upTo: 30 },
  { name: 'step-5', upTo: Number.POSITIVE_INFINITY },
] as const;
export type MapLook = Look | (typeof STEPS)[number]['name'];

/** The index that the site has in headlines (INDEX). */
export type MapIndex = 'aqi' | 'eaqi';
type Scale = MapIndex | 'temperature';

/** The scale of a parameter. Only particles have categories of the US EPA's. */
export function scaleOf(parameter: MapParameter, index: MapIndex): Scale {
  if (parameter === 'temperature') return 'temperature';
  return index === 'aqi' && BOUNDS[parameter] !== undefined ? 'aqi' : 'eaqi';
}

/** The looks of a scale, in its order. */
export const LOOKS: Readonly<Record<Scale, readonly MapLook[]>> = {
  aqi: CATEGORIES.map(({ name }) => name),
  eaqi: BANDS,
  temperature: STEPS.map(({ name }) => name),
};

/** The look of a published mean of an hour, with the European band that the API has for it. */
export function lookAtHour(
  parameter: MapParameter,
  index: MapIndex,
  value: number | null,
  band: string | null,
): MapLook {
  const scale = scaleOf(parameter, index);
  if (value === null) return 'unknown';
  if (scale === 'eaqi') return band === null ? 'unknown' : bandOf(band);
  const whole = parameter === 'pm10' ? Math.trunc(value) : value; // as for the index (Q2)
  const ends = scale === 'aqi' ? (BOUNDS[parameter] ?? []) : STEPS.map(({ upTo }) => upTo);
  return LOOKS[scale][ends.filter((end) => whole > end).length] ?? 'unknown';
}
