/** The seven aggregates: which template, whose hours, what they are keyed by. Both engines are built from this list. */
import { type Definitions, readSql } from './definitions.ts';
import { literal, render, type Words, withoutComments } from './render.ts';

export type Engine = 'plain' | 'timescale';

/** What a database was made for; the same ever after. `origin` is the instant at which its first hour, day and month begin. */
export type Calendar = { timeZone: string; origin: string };

export type Level = {
  readonly name: string;
  readonly body: string;
  readonly id: string;
  readonly unit: 'hour' | 'day' | 'month';
  readonly words: Words;
};

const STATION = { subject: 'station', id: 'station_id', sources: 'sensor_count' };
const REGION = { subject: 'region', id: 'region_slug', sources: 'station_count' };

/** Parents before children: the order of refreshing. */
export const LEVELS: readonly Level[] = [
  { name: 'sensor_hourly', body: 'sensor_hourly.sql', id: 'sensor_id', unit: 'hour', words: {} },
  { name: 'station_hourly', body: 'station_hourly.sql', id: 'station_id', unit: 'hour', words: {} },
  { name: 'region_hourly', body: 'region_hourly.sql', id: 'region_slug', unit: 'hour', words: {} },
  { name: 'station_daily', body: 'daily.sql', id: 'station_id', unit: 'day', words: STATION },
  { name: 'region_daily', body: 'daily.sql', id: 'region_slug', unit: 'day', words: REGION },
  { name: 'station_monthly', body: 'monthly.sql', id: 'station_id', unit: 'month', words: STATION },
  { name: 'region_monthly', body: 'monthly.sql', id: 'region_slug', unit: 'month', words: REGION },
];

/** Words that every template may use. */
export function wordsOf({ timeZone, origin }: Calendar): Words {
  return { zone: literal(timeZone), origin: `timestamptz ${literal(origin)}` };
}

/** The select of a level, over what `range` says of its time column. */
export function body(
  level: Level,
  definitions: Definitions,
  calendar: Calendar,
  range: (column: string) => string,
): string {
  const text = withoutComments(readSql(definitions, `rollups/${level.body}`));
  const ranged = text.replace(/\{\{range ([\w.]+)\}\}/g, (_, column) => range(column));
  return render(ranged, definitions, { ...level.words, ...wordsOf(calendar) }).trim();
}

/** Everything that builds the functions and the seven levels on an engine. Built aggregates must be exactly these. */
export function buildRollups(definitions: Definitions, engine: Engine, calendar: Calendar): string {
  const functions = ['functions.sql', ...(engine === 'plain' ? ['functions.plain.sql'] : [])];
  const template = readSql(definitions, `engines/${engine}/level.sql`);
  const bodyOf = (level: Level, range: (column: string) => string) => body(level, definitions, calendar, range);
  return [
    ...functions.map((file) => render(readSql(definitions, `rollups/${file}`), definitions, wordsOf(calendar))),
    ...LEVELS.map((level) =>
      render(template, definitions, {
        level: level.name,
        id: level.id,
        chunk: level.unit === 'hour' ? '30 days' : '360 days',
        body: bodyOf(level, () => 'true'),
        'ranged body': bodyOf(level, (column) => `${column} >= $1 and ${column} < $2`),
      }),
    ),
  ].join('\n');
}
