/** Compares published history and WHO figures with the reference's columns, within rounding. */

type Table = { columns: string[]; rows: (number | string | null)[][] };
type Row = Record<string, number | string | null>;
type Who = Record<string, unknown> & {
  who_daily: { completed: number | null; hours_completed: number };
  who_year: { days_mean: number | null };
  exceedance_days: number;
  month: { completed: number | null };
};
type SubjectWindows = Record<'24h' | '7d' | '30d' | '1y' | '2y', Table>;
export type Windows = {
  stations: Record<string, SubjectWindows>;
  regions: Record<string, SubjectWindows & { who: Who }>;
};
export type Reference = {
  meta: { tz: string; rows: number; nows: string[] };
  windows: Record<string, Windows>;
};
export type Point = Record<string, unknown> & { timestamp: string };

/** `unknown`: the start of a bucket that is not compared. */
type Options = { unknown: number | undefined; compared: { values: number } };

/** The rows of a window by the reference's `k`, 0 being the bucket that holds now (H1). */
const WINDOWS = {
  '24h': [1, 24],
  '7d': [1, 168],
  '30d': [1, 30],
  '1y': [0, 11],
  '2y': [0, 23],
} as const;

const DIGITS: Record<string, number> = {
  temperature: 1,
  humidity: 0,
  pressure: 0,
  pm25: 1,
  pm25_raw: 1,
  pm10: 1,
  no2: 1,
  so2: 1,
  o3: 1,
  wind_speed: 1,
  rain: 1,
};
const EXTREMES = ['temperature', 'pm25', 'pm10', 'no2', 'wind_speed'];

export function compareHistory(
  subject: string,
  history: Record<string, Point[]>,
  reference: SubjectWindows,
  options: Options,
): string[] {
  return Object.entries(WINDOWS).flatMap(([window, [first, last]]) => {
    const rows = records(reference[window as keyof SubjectWindows]).filter(
      ({ k, t }) =>
        Number(k) >= first && Number(k) <= last && Date.parse(String(t)) !== options.unknown,
    );
    const points = new Map(history[window]?.map((point) => [Date.parse(point.timestamp), point]));
    if (options.unknown !== undefined) points.delete(options.unknown);
    const wrong: string[] = [];
    if (points.size !== rows.length)
      wrong.push(`${subject} ${window}: ${points.size} buckets, ${rows.length} in the reference`);
    for (const row of rows) {
      const at = `${subject} ${window} ${row.t}`;
      const point = points.get(Date.parse(String(row.t)));
      if (point === undefined) wrong.push(`${at}: missing`);
      else wrong.push(...comparePoint(at, point, row, options.compared));
    }
    return wrong;
  });
}

function comparePoint(at: string, point: Point, row: Row, compared: { values: number }): string[] {
  const wrong: string[] = [];
  const check = (
    name: string,
    published: unknown,
    expected: Row[string] | undefined,
    digits: number,
  ) => {
    if (published === undefined || expected === undefined) return;
    compared.values++;
    if (!withinRounding(published, expected, digits))
      wrong.push(`${at} ${name}: ${published}, reference ${expected}`);
  };
  for (const [metric, digits] of Object.entries(DIGITS)) {
    const published = metric === 'rain' ? point.total_rain : point[`avg_${metric}`];
    check(metric, published, floored(metric, row[metric] ?? null), digits);
  }
  for (const metric of EXTREMES) {
    for (const end of ['min', 'max']) {
      check(
        `${end}_${metric}`,
        point[`${end}_${metric}`],
        floored(metric, row[`${metric}_h${end}`] ?? null),
        1,
      );
    }
  }
  if (Number(row.wind_direction_R) > 0.05) {
    compared.values++;
    const apart = Math.abs(
      ((Number(point.avg_wind_direction) - Number(row.wind_direction) + 540) % 360) - 180,
    );
    if (!(apart <= 0.51))
      wrong.push(
        `${at} wind_direction: ${point.avg_wind_direction}, reference ${row.wind_direction}`,
      );
  }
  if ('station_count_avg' in row)
    check('station_count', point.station_count, row.station_count_avg, 0);
  const range = point.range_aqi as [number, number] | null | undefined;
  for (const [name, published, expected] of [
    ['aqi', point.aqi, row.aqi],
    ['range_aqi[0]', range === undefined ? undefined : (range?.[0] ?? null), row.aqi_min ?? null],
    ['range_aqi[1]', range === undefined ? undefined : (range?.[1] ?? null), row.aqi_max ?? null],
  ] as const) {
    if (published === undefined) continue;
    compared.values++;
    if (!sameAqi(published, expected))
      wrong.push(`${at} ${name}: ${published}, reference ${expected}`);
  }
  return wrong;
}

export function compareWho(
  at: string,
  region: Record<string, unknown>,
  who: Who,
  compared: { values: number },
): string[] {
  const daily = who.who_daily.hours_completed >= 18 ? who.who_daily.completed : null;
  const figures: [string, number | null, number][] = [
    ['who_daily_pm2.5', daily, 1],
    ['who_daily_exceedance', exceedance(daily, 15), 1],
    ['who_year_pm2.5', who.who_year.days_mean, 1],
    ['who_yearly_exceedance', exceedance(who.who_year.days_mean, 5), 1],
    ['who_pm2.5_exceedance_days', who.exceedance_days, 0],
    ['month_cigarettes', who.month.completed === null ? null : (who.month.completed * 30) / 22, 1],
  ];
  return figures.flatMap(([name, expected, digits]) => {
    compared.values++;
    return withinRounding(region[name], expected, digits)
      ? []
      : [`${at} ${name}: ${region[name]}, reference ${expected}`];
  });
}

/** Particles below 0 are published as 0. */
function floored(metric: string, value: Row[string]): Row[string] {
  return metric.startsWith('pm') && typeof value === 'number' ? Math.max(value, 0) : value;
}

/** W3. */
function exceedance(mean: number | null, guideline: number): number | null {
  return mean === null || mean <= 1.15 * guideline ? null : mean / guideline;
}

/**
 * Tolerates half a unit of the last published digit, plus the errors of single precision and of the
 * reference's six decimals.
 */
function withinRounding(published: unknown, expected: Row[string], digits: number): boolean {
  if (published === null || expected === null) return published === expected;
  const slack = 0.5 * 10 ** -digits + 1e-5 + Math.abs(Number(expected)) * 1e-7;
  return typeof published === 'number' && Math.abs(published - Number(expected)) <= slack;
}

/**
 * The reference computes the AQI from the unrounded mean and ends at 500; the published one (Q2)
 * may differ by 1 and has no upper end.
 */
function sameAqi(published: unknown, expected: Row[string] | undefined): boolean {
  if (published === null || expected == null) return published === (expected ?? null);
  return Math.abs(Math.min(Number(published), 500) - Number(expected)) <= 1;
}

function records(table: Table): Row[] {
  return table.rows.map((values) =>
    Object.fromEntries(table.columns.map((name, index) => [name, values[index] ?? null])),
  );
}
