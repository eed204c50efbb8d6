/**
 * The seven aggregates: the template, the subject and the key of each. Both engines are built from
 * this list.
 */
import {
  type Definitions,
  literal,
  readSql,
  render,
  type Words,
  withoutComments,
} from './template.ts';

export type Engine = 'plain' | 'timescale';

/**
 * The calendar that a database was created for; it never changes. `origin` is the instant at which
 * its first hour, day and month begin.
 */
export type Calendar = { timeZone: string; origin: string };

/** One aggregate: relation rollup.`name`. */
export type Level = {
  readonly name: string;
  /** Its template in sql/rollups. */
  readonly template: string;
  /** The column that identifies its subject. */
  readonly id: string;
  readonly unit: 'hour' | 'day' | 'month';
  /**
   * The level that it is computed from, `{{below}}` in its template; sensor hours are computed from
   * the readings.
   */
  readonly below?: string;
  /** The template's own words. */
  readonly words: Words;
};

const STATION = { subject: 'station', id: 'station_id', sources: 'sensor_count' };
const REGION = { subject: 'region', id: 'region_slug', sources: 'station_count' };

/** Each after those it is computed from: the order of refreshing. */
export const LEVELS: readonly Level[] = [
  {
    name: 'sensor_hourly',
    template: 'sensor_hourly.sql',
    id: 'sensor_id',
    unit: 'hour',
    words: {},
  },
  {
    name: 'station_hourly',
    template: 'station_hourly.sql',
    id: 'station_id',
    unit: 'hour',
    below: 'sensor_hourly',
    words: {},
  },
  {
    name: 'region_hourly',
    template: 'region_hourly.sql',
    id: 'region_slug',
    unit: 'hour',
    below: 'station_hourly',
    words: {},
  },
  {
    name: 'station_daily',
    template: 'daily.sql',
    id: 'station_id',
    unit: 'day',
    below: 'station_hourly',
    words: STATION,
  },
  {
    name: 'region_daily',
    template: 'daily.sql',
    id: 'region_slug',
    unit: 'day',
    below: 'region_hourly',
    words: REGION,
  },
  {
    name: 'station_monthly',
    template: 'monthly.sql',
    id: 'station_id',
    unit: 'month',
    below: 'station_daily',
    words: STATION,
  },
  {
    name: 'region_monthly',
    template: 'monthly.sql',
    id: 'region_slug',
    unit: 'month',
    below: 'region_daily',
    words: REGION,
  },
];

/** The schema of the aggregates, and the one in which a rebuild makes new ones. */
type RollupSchema = 'rollup' | 'rollup_next';

/** The words that every template may use. */
export function wordsOf({ timeZone, origin }: Calendar, rollup: RollupSchema = 'rollup'): Words {
  return {
    rollup,
    zone: literal(timeZone),
    origin: `timestamptz ${literal(origin)}`,
    station_pm25: stationPm25(rollup),
  };
}

/**
 * PM2.5 of a station from the means `s` of its sensors, each with its placement `p` (S5). A sensor
 * without a formula contributes its pm25, or else its pm25_raw. Sensors with the same formula are
 * averaged, then corrected together with their own mean humidity, since the formula was fitted
 * inside the instrument, or where none of them has any, with the station's; without humidity they
 * are left out. Null if no sensor remains.
 */
function stationPm25(rollup: RollupSchema): string {
  return `(coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  {{repeat formula: + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = '$name')
    * ${rollup}.corrected('$name', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = '$name'),
      coalesce(avg(s.humidity) filter (where p.formula = '$name'), avg(s.humidity))), 0)}})
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    {{repeat formula: + case when avg(s.humidity) is null then 0
      else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = '$name') end}}, 0)`;
}

type Select = {
  /** The condition on its column of time; none if it is left out. */
  range?: (time: string) => string;
  /**
   * Replace the level below and the periods of the network; the stored ones if they are left out.
   */
  from?: Partial<Record<'below' | 'placement' | 'membership', string>>;
};

/** The select of a level. Throws as `render` does. */
export function selectOf(
  level: Level,
  definitions: Definitions,
  words: Words,
  { range = () => 'true', from = {} }: Select = {},
): string {
  const text = withoutComments(readSql(definitions, `rollups/${level.template}`));
  const withRange = text.replace(/\{\{range ([\w.]+)\}\}/g, (_, time) => range(time));
  const stored = {
    below: `${words.rollup}.${level.below}`,
    placement: 'raw.placement',
    membership: 'raw.membership',
  };
  return render(withRange, definitions, { ...level.words, ...words, ...stored, ...from }).trim();
}

/**
 * The SQL that builds the functions and the seven levels on an engine; its fingerprint tells
 * whether a database has exactly these. Without comments: rewording one must not rebuild anything.
 */
export function buildRollups(
  definitions: Definitions,
  engine: Engine,
  calendar: Calendar,
  schema: RollupSchema = 'rollup',
): string {
  const words = wordsOf(calendar, schema);
  const functions = ['functions.sql', ...(engine === 'plain' ? ['functions.plain.sql'] : [])];
  const template = withoutComments(readSql(definitions, `engines/${engine}/level.sql`));
  return [
    ...functions.map((file) =>
      render(withoutComments(readSql(definitions, `rollups/${file}`)), definitions, words),
    ),
    ...LEVELS.map((level) =>
      render(template, definitions, {
        ...words,
        level: level.name,
        id: level.id,
        chunk: level.unit === 'hour' ? '30 days' : '360 days',
        body: selectOf(level, definitions, words),
      }),
    ),
  ].join('\n');
}

/** The SQL of procedure `recompute` in a schema. */
export function recomputeSql(definitions: Definitions, engine: Engine, words: Words): string {
  const cases = LEVELS.map((level) => {
    const select = selectOf(level, definitions, words, {
      range: (time) => `${time} >= $2 and ${time} < $3`,
    });
    const relation = `${words.rollup}.${level.name}`;
    return `when '${level.name}' then
    delete from ${relation} where bucket >= $2 and bucket < $3;
    insert into ${relation}
    ${select};`;
  });
  return render(readSql(definitions, `engines/${engine}/recompute.sql`), definitions, {
    ...words,
    recompute_levels: cases.join('\n  '),
  });
}
