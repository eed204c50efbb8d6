/**
 * Draws how the time of each thing grows with the network, from what `npm run bench -- --stations
 * …` has left in dist, as README shows it:
 *
 *   npx tsx test/lab/bench/growth.ts     writes test/lab/bench/growth.svg
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { drawGrowth, type Line } from './run/drawGrowth.ts';
import type { Row } from './run/measure.ts';

const DIST = new URL('../../../dist/', import.meta.url);

/** The drawn rows by their titles, each with its name in the picture. */
const DRAWN = {
  writing: {
    'first build': 'first build',
    'a minute of 2 readings a station': 'a minute of readings',
    'late readings of 1 % over 24 hours': 'late readings, 1 %',
    'a late reading of yesterday': 'one late reading',
    'network file, again without a change': 'network file again',
  },
  network: {
    'stations.json, not kept, first locale': 'stations.json',
    'digest of all regions': 'digest',
    '/metrics, everything collected': '/metrics',
  },
  single: {
    'station, not kept': 'station',
    'station history, not kept': 'station history',
    'region history, not kept': 'region history',
  },
} as const;

type Run = { quick: boolean; machine: string; rows: Row[] };

const runs = readdirSync(DIST)
  .filter((name) => /^bench-\d+\.json$/.test(name))
  .map((name) => JSON.parse(readFileSync(new URL(name, DIST), 'utf8')) as Run);
const rows = runs.flatMap((run) => run.rows);

const seconds = ({ value, unit }: Row) => value.median / (unit === 'ms' ? 1_000 : 1);

const lines: Line[] = Object.entries(DRAWN).flatMap(([kind, names]) =>
  Object.entries(names).map(([title, name]) => {
    const points = rows
      .filter((row) => row.title === title)
      .map((row) => ({ stations: row.stations as number, seconds: seconds(row) }))
      .sort((a, b) => a.stations - b.stations);
    return { kind: kind as Line['kind'], name, points };
  }),
);
const drawn = lines.filter(({ points }) => points.length > 1);
if (drawn.length === 0)
  throw new Error('there are not two runs in dist: npm run bench -- --stations 1000, and 10000');
const machines = [...new Set(runs.map(({ machine }) => machine))];
const quick = runs.some((run) => run.quick)
  ? ['3 days of hourly and 8 hours of five-minute readings']
  : [];
writeFileSync(
  new URL('growth.svg', import.meta.url),
  drawGrowth(drawn, [...machines, ...quick].join('; ')),
);
