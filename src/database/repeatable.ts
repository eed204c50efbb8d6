/**
 * The repeatable SQL: the engine's refresh, the oracle and the whole of schema api. Dropped and rebuilt as one when any of it
 * changed; nothing in it holds data.
 */
import { sqlFile, sqlFiles } from './files.ts';
import { buildOracle, type Columns } from './oracle.ts';
import { render } from './render.ts';
import type { Engine } from './rollups.ts';

const PLACES: readonly Record<string, string>[] = [
  { place: 'station', key: 'station_id', 'key type': 'int', members: 'sensor_count' },
  { place: 'region', key: 'region_slug', 'key type': 'text', members: 'station_count' },
];
const GRAINS = ['daily', 'monthly'];

/** All repeatable SQL in order. A file that speaks of `{{place}}` is rendered for stations and regions, one of `{{grain}}` for days and months. */
export function repeatableSql(engine: Engine, zone: string, columns: Columns): string {
  return [
    'drop schema if exists api cascade;',
    'create schema api;',
    sqlFile('engines/common.sql'),
    sqlFile(`engines/${engine}/refresh.sql`),
    buildOracle(zone, columns),
    ...sqlFiles('ingest').map((path) => render(sqlFile(path), {})),
    ...sqlFiles('api').flatMap((path) => renderings(sqlFile(path))),
    GRANTS,
  ].join('\n');
}

function renderings(template: string): string[] {
  const places = template.includes('{{place}}') ? PLACES : [{}];
  const grains = template.includes('{{grain}}') ? GRAINS : [''];
  return places.flatMap((place) => grains.map((grain) => render(template, { ...place, grain })));
}

const GRANTS = `
revoke all on schema api from public;
grant usage on schema api to airseries_reader;
grant select on all tables in schema api to airseries_reader;
`;
