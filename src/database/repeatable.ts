/**
 * The repeatable SQL: schemas logic (with the engine's refresh and the oracle) and api. Dropped and built as one whenever any of it
 * changed, so a database that was upgraded is the same as a new one; nothing in them holds data.
 */
import { body, type Calendar, type Engine, LEVELS, type Level, wordsOf } from './aggregates.ts';
import { type Definitions, listSql, readSql } from './definitions.ts';
import { buildOracle, type Columns } from './oracle.ts';
import { render, type Words } from './render.ts';

const SUBJECTS: readonly Words[] = [
  {
    subject: 'station',
    id: 'station_id',
    'id type': 'int',
    'id meaning': 'station id',
    sources: 'sensor_count',
    'sources unit': 'sensors',
  },
  {
    subject: 'region',
    id: 'region_slug',
    'id type': 'text',
    'id meaning': 'slug of the city or district',
    sources: 'station_count',
    'sources unit': 'stations',
  },
];
const RESOLUTIONS = ['daily', 'monthly'];

/** All of it in order. A file that speaks of `{{subject}}` is rendered for stations and regions, one of `{{resolution}}` for days and months. */
export function repeatableSql(definitions: Definitions, engine: Engine, calendar: Calendar, columns: Columns): string {
  const words = {
    ...wordsOf(calendar),
    ...extentWords(definitions),
    'select of one station': selectOfOneStation(definitions, calendar),
  };
  const all = (folder: string) =>
    listSql(definitions, folder).flatMap((file) =>
      renderings(readSql(definitions, `${folder}/${file}`), definitions, words),
    );
  return [
    DROP,
    readSql(definitions, `engines/${engine}/refresh.sql`),
    ...all('logic'),
    buildOracle(definitions, calendar, columns),
    ...all('api'),
    // the drop must not have taken an aggregate along
    `select ${LEVELS.map(({ name }) => `'rollup.${name}'::regclass`).join(', ')};`,
  ].join('\n');
}

export const DROP = `drop schema if exists api cascade;
drop schema if exists logic cascade;
create schema logic;
create schema api;
revoke all on schema logic, api from public;`;

/** Of the station $1, from $2 to $3. */
function selectOfOneStation(definitions: Definitions, calendar: Calendar): string {
  const level = LEVELS.find(({ name }) => name === 'station_hourly') as Level;
  return body(level, definitions, calendar, (hour) => `p.station_id = $1 and ${hour} >= $2 and ${hour} < $3`);
}

/** From where to where the windows of a unit reach at the instant `at`: `{{hours since}}`, `{{hours until}}` and so on. */
function extentWords({ windows }: Definitions): Words {
  const words = (['hour', 'day', 'month'] as const).flatMap((unit) => {
    const ends = windows
      .filter((window) => window.unit === unit)
      .map(({ count, running }) => [Number(running) - count, Number(running)]);
    const bucket = (n: number) => `rollup.bucket_add('${unit}', rollup.bucket_start('${unit}', at), ${n})`;
    return [
      [`${unit}s since`, bucket(Math.min(...ends.map(([since = 0]) => since)))],
      [`${unit}s until`, bucket(Math.max(...ends.map(([, until = 0]) => until)))],
    ];
  });
  return Object.fromEntries(words);
}

function renderings(template: string, definitions: Definitions, words: Words): string[] {
  const subjects = template.includes('{{subject}}') ? SUBJECTS : [{}];
  const resolutions = template.includes('{{resolution}}') ? RESOLUTIONS : [''];
  return subjects.flatMap((subject) =>
    resolutions.map((resolution) => render(template, definitions, { ...words, ...subject, resolution })),
  );
}
