/**
 * The limits of the EU that apply from 2030, as far as a network measures them: Directive (EU)
 * 2024/2881 (http://data.europa.eu/eli/dir/2024/2881/oj), Annex I, Section 1, Table 1, and for
 * ozone, which has a target value, Section 2, Point B. The SQL, the OpenAPI document and the pages
 * read this table.
 */
import type { ParameterName } from './parameters.ts';

/** `8 hours`: the highest running mean of eight hours that ends on a day (Annex I, note 3). */
type Period = 'hour' | '8 hours' | 'day' | 'year';

type Limit = {
  readonly parameter: ParameterName;
  /** Over which period the mean is taken. */
  readonly period: Period;
  /** In µg/m³. */
  readonly limit: number;
  /** How often a calendar year may exceed it; of ozone, as the mean of three years. */
  readonly allowed: number;
  /** The local date from which it applies. */
  readonly from: string;
};

const from = '2030-01-01';

export const EU_LIMITS = [
  { parameter: 'pm25', period: 'day', limit: 25, allowed: 18, from },
  { parameter: 'pm25', period: 'year', limit: 10, allowed: 0, from },
  { parameter: 'pm10', period: 'day', limit: 45, allowed: 18, from },
  { parameter: 'pm10', period: 'year', limit: 20, allowed: 0, from },
  { parameter: 'no2', period: 'hour', limit: 200, allowed: 3, from },
  { parameter: 'no2', period: 'day', limit: 50, allowed: 18, from },
  { parameter: 'no2', period: 'year', limit: 20, allowed: 0, from },
  { parameter: 'so2', period: 'hour', limit: 350, allowed: 3, from },
  { parameter: 'so2', period: 'day', limit: 50, allowed: 18, from },
  { parameter: 'so2', period: 'year', limit: 20, allowed: 0, from },
  { parameter: 'o3', period: '8 hours', limit: 120, allowed: 18, from },
] as const satisfies readonly Limit[];

/** The limit of a parameter for a period. Throws if it has none. */
export function limitOf(parameter: ParameterName, period: Period): Limit {
  const found = EU_LIMITS.find((one) => one.parameter === parameter && one.period === period);
  if (found === undefined) throw new Error(`${parameter} has no limit for the period ${period}`);
  return found;
}
