/**
 * The European index (X1), NowCast (X2) and the trend as their rules are written, independently of
 * the SQL that they check.
 */
import { decimal, roundedHalfUp, truncated } from '../aggregate/decimals.ts';

export const BANDS = ['good', 'fair', 'moderate', 'poor', 'very poor', 'extremely poor'];
export const UPPER_ENDS = {
  pm25: [5, 15, 50, 90, 140],
  pm10: [15, 45, 120, 195, 270],
  o3: [60, 100, 120, 160, 180],
  no2: [10, 25, 60, 100, 150],
  so2: [20, 40, 125, 190, 275],
};
export type Pollutant = keyof typeof UPPER_ENDS;
/** µg/m³ in 1 ppb (S6). */
export const NO2_PPB = 1.9125;

/** The position of the band of a mean; NO2 is in ppb. */
export const bandOf = (pollutant: Pollutant, stored: number) => {
  const rounded = roundedHalfUp(decimal(pollutant === 'no2' ? stored * NO2_PPB : stored), 0);
  return UPPER_ENDS[pollutant].filter((end) => rounded > end).length;
};

/** X2 as it is written; hours newest first. */
export function nowcast(hours: readonly (number | null)[], digits: number): number | null {
  const present = hours.slice(0, 12).map((value) => (value === null ? null : Math.max(value, 0)));
  const known = present.filter((value) => value !== null);
  if (present.slice(0, 3).filter((value) => value !== null).length < 2) return null;
  if (Math.max(...known) === 0) return 0;
  const weight = Math.max(Math.min(...known) / Math.max(...known), 0.5);
  let [sum, weights] = [0, 0];
  for (const [age, value] of present.entries()) {
    if (value === null) continue;
    sum += weight ** age * value;
    weights += weight ** age;
  }
  return truncated(decimal(sum / weights), digits);
}

/** The trend of whole hours, newest first: by whole numbers, so that thresholds are exact. */
export function trend(hours: readonly (number | null)[]): string | null {
  const [newest, ...before] = hours;
  const known = before.slice(0, 3).filter((value) => value !== null);
  if (newest === null || newest === undefined || known.length < 2) return null;
  const sum = known.reduce((a, b) => a + Math.max(b, 0), 0);
  const change = Math.max(newest, 0) * known.length - sum; // from the mean, times the known hours
  const isSmall = Math.abs(change) < 3 * known.length || 10 * Math.abs(change) < sum;
  if (isSmall && goes(hours, 1)) return 'rising';
  if (isSmall && goes(hours, -1)) return 'falling';
  if (isSmall) return 'steady';
  return change > 0 ? 'rising' : 'falling';
}

/** True if six hours in a row go one way, by at least 1 and 10 % in all. */
function goes(hours: readonly (number | null)[], way: 1 | -1): boolean {
  const seven = hours.slice(0, 7).map((value) => (value === null ? null : Math.max(value, 0)));
  const [newest, oldest] = [seven[0] ?? null, seven[6] ?? null];
  if (newest === null || oldest === null) return false;
  const steps = seven.slice(0, 6).map((value, n) => {
    const earlier = seven[n + 1] ?? null;
    return value !== null && earlier !== null && (value - earlier) * way > 0;
  });
  const inAll = (newest - oldest) * way;
  return steps.every(Boolean) && inAll >= 1 && 10 * inAll >= oldest;
}
