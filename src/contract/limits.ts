/**
 * The limits of the EU that apply from 2030, as far as a network measures them: Directive (EU)
 * 2024/2881 (http://data.europa.eu/eli/dir/2024/2881/oj), Annex I, Section 1, Table 1, and for
 * ozone, which has a target value, Section 2, Point B. The SQL reads this table,
 * and publishes it with the numbers.
 */
import type { ParameterName } from './parameters.ts';

/**
 * The verdicts of a year on a limit (sql/api/84_limit_verdict.sql): `running`: not exceeded so far, and
 * the year is not over; `insufficient_data`: not exceeded, but too little was measured to say that
 * it was kept. The directive asks for 85 % of the days or hours (Annex V, Point B), and for 18 hours
 * of a day (Point C); exceedances count even with fewer (Point D). It also asks for them in each
 * part of the year, which is not tested.
 */
export const VERDICTS = ['kept', 'exceeded', 'running', 'insufficient_data'] as const;
export type LimitVerdict = (typeof VERDICTS)[number];

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
