/** Backups of the embedded server by the words of src/database/README.md: a copy of its folder, and a dump for a server of one's own. */
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findLocalTimescale } from '../../src/embedded/program.ts';
import { emptyDatabase, engines } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { addressVariables, freePort, makeHome, ready, start } from '../support/program.ts';

const TIMEOUT_MS = 180_000;
const FIXED_NOW = '2026-11-20T12:00:00Z';
const PATHS = ['stations', 'station/1', 'station/1-history', 'region/town', 'region/town-history'];
const local = await findLocalTimescale();

function installation(kind: 'bundled' | 'local') {
  const home = makeHome();
  onTestFinished(() => home.remove());
  const environment = { ...home.environment, EMBEDDED_PG: kind, DEMO: 'off', FIXED_NOW };
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await start('cli', words, environment).finished;
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  /** A day of readings, some of them corrected later. */
  async function fill(): Promise<void> {
    const at = (name: string) => join(home.folder, name);
    const rows = Array.from(
      { length: 96 },
      (_, i) => `1,${new Date(Date.parse(FIXED_NOW) - i * 900_000).toISOString()},${i}`,
    );
    writeFileSync(at('network.json'), JSON.stringify(citiesOfOneStation(['town'])));
    writeFileSync(at('readings.csv'), `sensor_id,time,pm25\n${rows.join('\n')}\n1,2026-11-20T11:00:00Z,7.5\n`);
    await run('import', 'network', at('network.json'));
    await run('import', 'readings', at('readings.csv'));
  }
  return { ...home, environment, run, fill };
}

/** The bodies of the public API. */
async function bodies(
  environment: Record<string, string>,
  work: () => Promise<void> = async () => undefined,
): Promise<string[]> {
  const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
  const service = start('main', [], { ...environment, PORT, ADMIN_PORT, INGEST_PORT });
  await ready(ADMIN_PORT, service);
  const texts = [];
  for (const path of PATHS) {
    const answer = await fetch(`http://localhost:${PORT}/en/air-quality-app/v1/${path}.json`);
    expect(answer.status).toBe(200);
    texts.push(await answer.text());
  }
  await work();
  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
  return texts;
}

test('a copy of the folder, made while it is stopped, answers byte for byte as before', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { folder, environment, run, fill } = installation('bundled');
  await fill();
  const before = await bodies(environment);
  const copy = (from: string, to: string) => execFileSync('cp', ['-a', join(folder, from), join(folder, to)]);
  copy('data', 'backup');
  await run('delete', 'readings', '--sensor', '1', '--from', '2026-11-01', '--to', '2026-12-01'); // a mistake
  renameSync(join(folder, 'data'), join(folder, 'broken'));
  copy('backup', 'data');
  expect(await bodies(environment)).toEqual(before);
  expect(await run('audit', '--from', '2026-11-01')).toEqual([]);
});

test.skipIf(local === undefined)(
  'a dump, made while the service runs, is restored into a server of one’s own',
  { timeout: TIMEOUT_MS },
  async ({ skip }) => {
    const { folder, environment, run, fill } = installation('local');
    const own = await emptyDatabase(engines.at(-1) as (typeof engines)[number]);
    onTestFinished(() => own.drop());
    const address = addressVariables(own.target);
    const program = (name: string, ...words: string[]) =>
      execFileSync(join(local?.bin ?? '', name), words, { env: { ...process.env, ...address }, stdio: 'pipe' });
    await fill();
    const { versions } = await run('status');
    const offered = "select default_version from pg_available_extensions where name = 'timescaledb'";
    const found = String(program('psql', '-X', '-At', '-c', offered)).trim();
    skip(found !== versions.timescaledb, `TimescaleDB restores dumps of its own version, and that is ${found}`);
    const dump = join(folder, 'airseries.dump');
    const before = await bodies(environment, async () => {
      const { psql } = await run('status');
      const [, host = '', user = '', database = ''] = /^psql -h (\S+) -U (\S+) (\S+)$/.exec(psql) ?? [];
      execFileSync(join(local?.bin ?? '', 'pg_dump'), ['-h', host, '-U', user, '-Fc', '-f', dump, database]);
    });
    const roles = readFileSync(new URL('../../sql/roles.sql', import.meta.url), 'utf8');
    program('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-c', roles);
    program('psql', '-X', '-q', '-c', 'create extension if not exists timescaledb');
    program('psql', '-X', '-q', '-c', 'select timescaledb_pre_restore()');
    program('pg_restore', '-d', address.PGDATABASE ?? '', dump);
    program('psql', '-X', '-q', '-c', 'select timescaledb_post_restore()');
    expect(await bodies({ ...address, DATABASE_URL: 'postgres://', FIXED_NOW })).toEqual(before);
  },
);
