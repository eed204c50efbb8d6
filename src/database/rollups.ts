/** The seven aggregates: which template, whose hours, what they are keyed by. Both engines are built from this list. */
import { fingerprint, sqlFile } from './files.ts';
import { literal, render } from './render.ts';

export type Engine = 'plain' | 'timescale';

export type Level = {
  readonly name: string;
  readonly body: string;
  readonly keys: readonly string[];
  readonly unit: 'hour' | 'day' | 'month';
  /** Asked for one place at a time, not only by the level above it. Decides its indexes. */
  readonly asked: boolean;
  readonly words: Readonly<Record<string, string>>;
};

const STATION = { place: 'station', key: 'station_id', members: 'sensor_count' };
const REGION = { place: 'region', key: 'region_slug', members: 'station_count' };

/** Parents before children: the order of refreshing. */
export const LEVELS: readonly Level[] = [
  {
    name: 'sensor_hourly',
    body: 'sensor_hourly.sql',
    keys: ['sensor_id', 'station_id'],
    unit: 'hour',
    asked: false,
    words: {},
  },
  { name: 'station_hourly', body: 'station_hourly.sql', keys: ['station_id'], unit: 'hour', asked: true, words: {} },
  { name: 'region_hourly', body: 'region_hourly.sql', keys: ['region_slug'], unit: 'hour', asked: true, words: {} },
  { name: 'station_daily', body: 'daily.sql', keys: ['station_id'], unit: 'day', asked: true, words: STATION },
  { name: 'region_daily', body: 'daily.sql', keys: ['region_slug'], unit: 'day', asked: true, words: REGION },
  { name: 'station_monthly', body: 'monthly.sql', keys: ['station_id'], unit: 'month', asked: true, words: STATION },
  { name: 'region_monthly', body: 'monthly.sql', keys: ['region_slug'], unit: 'month', asked: true, words: REGION },
];

/** The select of a level, over all time or over the range $1 … $2 of its time column. */
export function body(level: Level, zone: string, range: 'all' | 'parameters'): string {
  const ranged = sqlFile(`rollups/${level.body}`).replace(/\{\{range ([\w.]+)\}\}/g, (_, column) =>
    range === 'all' ? 'true' : `${column} >= $1 and ${column} < $2`,
  );
  return render(ranged.replace(/^--.*\n/gm, ''), { ...level.words, zone: literal(zone) }).trim();
}

/** Everything that builds the seven levels on an engine. Its fingerprint is recorded: built aggregates must be these. */
export function buildRollups(engine: Engine, zone: string): string {
  const template = sqlFile(`engines/${engine}/level.sql`);
  return LEVELS.map((level) =>
    render(template, {
      level: level.name,
      // who is asked for one place is found by it; who only feeds the level above, by the bucket
      key: (level.asked ? [...level.keys, 'bucket'] : ['bucket', ...level.keys]).join(', '),
      'place index': level.asked ? `create index on rollup.${level.name} (${level.keys.join(', ')}, bucket);` : '',
      'bucket index': level.asked ? `create index on rollup.${level.name} (bucket);` : '',
      chunk: level.unit === 'hour' ? '30 days' : '360 days',
      body: body(level, zone, 'all'),
      'ranged body': body(level, zone, 'parameters'),
    }),
  ).join('\n');
}

/** Removes the seven levels, children first. */
function dropRollups(engine: Engine): string {
  const kind = engine === 'timescale' ? 'materialized view' : 'table';
  const drops = [...LEVELS].reverse().map(({ name }) => `drop ${kind} if exists rollup.${name} cascade;`);
  const fills = engine === 'plain' ? LEVELS.map(({ name }) => `drop function if exists rollup.fill_${name};`) : [];
  return [...drops, ...fills].join('\n');
}

/** Builds the levels anew over whatever readings there are: the next refresh fills them, and until then nobody is told they are ready. */
export function rebuildRollups(engine: Engine, zone: string): string {
  return `drop schema if exists api cascade;
${dropRollups(engine)}
${buildRollups(engine, zone)}
update raw.installation set rollups = '${fingerprint(buildRollups(engine, zone))}', repeatable = null;
insert into rollup.stale_period (since, until, from_level) values ('-infinity', 'infinity', 'sensor_hourly');
update rollup.freshness set refreshed_at = null;`;
}
