/** The archive in a service and on the command line: when it is made, where, and what is said. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../../src/database/client.ts';
import { NOW } from '../../support/clock.ts';
import { commandsOn } from '../../support/command.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { until } from '../../support/patience.ts';
import { indexOf } from './archiveValues.ts';
import { sha256 } from './folder.ts';
import { CSV, emptyFolder } from './support.ts';

let here: Installation;
beforeAll(async () => {
  here = await install('plain', citiesOfOneStation(['town']));
  await here.accept([reading(1, '2026-10-20T10:05:00Z', { pm25: 10 })]);
  await here.refresh(NOW);
});
afterAll(() => here.close());

const isMade = (folder: string) =>
  existsSync(join(folder, 'datapackage.json')) && indexOf(folder).documents.length > 0;
const FILES = [
  ...['stations.csv', 'regions.csv', 'hours/2026-10.parquet', 'days/2026.parquet'],
  ...['regions-hours/2026-10.parquet', 'regions-days/2026.parquet'],
  ...CSV,
];

it('a worker makes the archive after its start and each night, and sends each file with the hash of the index', async () => {
  const archiveDirectory = emptyFolder();
  const { port, errors, stop } = await launch(here, { archiveDirectory });
  await until(() => isMade(archiveDirectory), 'the archive is made');
  const { resources } = indexOf(archiveDirectory);
  expect(resources.map(({ path }) => path)).toEqual(FILES);
  for (const { path, bytes, hash, modified } of resources) {
    const answer = await fetch(`http://127.0.0.1:${port.public}/archive/${path}`);
    const body = Buffer.from(await answer.arrayBuffer());
    expect([path, answer.status, body.length]).toEqual([path, 200, bytes]);
    expect(`sha256:${sha256(body)}`).toBe(hash);
    expect(answer.headers.get('etag'), path).toBe(`"${hash.slice(7, 39)}"`);
    expect(answer.headers.get('last-modified')).toBe(new Date(modified).toUTCString());
  }
  await stop(); // ends the first run
  const night = await launch(here, { archiveDirectory });
  rmSync(join(archiveDirectory, 'hours/2026-10.parquet'));
  await night.runJob('archive');
  expect(existsSync(join(archiveDirectory, 'hours/2026-10.parquet'))).toBe(true);
  expect([...errors(), ...night.errors()]).toEqual([]);
});

it('a worker makes the months of an import once it is done, and none while it goes on (R2)', async () => {
  const archiveDirectory = emptyFolder();
  const { runJob, errors, stop } = await launch(here, { archiveDirectory });
  await until(() => isMade(archiveDirectory), 'the archive is made');
  const paths = () => indexOf(archiveDirectory).resources.map(({ path }) => path);
  const look = async () => {
    await runJob('archive_backlog');
    return [paths().includes('hours/2026-08.parquet'), indexOf(archiveDirectory).missing];
  };
  expect(await look()).toEqual([false, []]);
  const august = Array.from(
    { length: 24 },
    (_, hour) => `2026-08-03T${`${hour}`.padStart(2, '0')}:05Z`,
  );
  const readings = august.map((at) => reading(1, at, { pm25: 20 }));
  await here.accept(readings.slice(0, 12)); // by another process, as an import does
  await here.refresh(NOW);
  const missing = ['hours/2026-08.parquet', 'regions-hours/2026-08.parquet'];
  expect(await look()).toEqual([false, missing]);
  await here.accept(readings.slice(12));
  await here.refresh(NOW);
  expect(await look()).toEqual([false, missing]);
  await runJob('archive_backlog');
  await until(() => indexOf(archiveDirectory).missing.length === 0, 'the months are made');
  const { rows } =
    indexOf(archiveDirectory).resources.find(({ path }) => path === missing[0]) ?? {};
  expect(rows).toBe(24);
  expect(errors()).toEqual([]);
  await stop();
  await here.database.as()`delete from raw.readings where measured_at < '2026-09-01'`;
  await here.refresh(NOW);
});

it('a service makes none where a database is named and no folder, nor where it only serves', async () => {
  const archiveDirectory = emptyFolder();
  expect((await launch(here)).jobs).not.toContain('archive');
  expect((await launch(here, { archiveDirectory, role: 'api' })).jobs).toEqual([]);
  expect(isMade(archiveDirectory)).toBe(false);
});

it('a service whose archive cannot be written runs all the same, and logs what to do', async () => {
  const { errors } = await launch(here, { archiveDirectory: '/proc/archive' });
  await until(() => errors().length > 0, 'it is logged');
  expect(errors()[0]).toMatch(/^archive: \/proc\/archive .*Name a folder that you may write to\./);
});

it('the command makes the archive, and prints what changed', async () => {
  const command = commandsOn(here.database);
  const folder = emptyFolder();
  const environment = { FIXED_NOW: NOW.toISOString(), ARCHIVE_DIR: folder };
  expect((await command('archive', environment)).result).toEqual({
    changed: FILES,
    removed: [],
    files: FILES.length,
  });
  const same = { changed: [], removed: [], files: FILES.length };
  expect((await command('archive', environment)).result).toEqual(same);
  const data = emptyFolder();
  const other = join(data, 'archive'); // where no database and no folder is named
  await command('archive', { FIXED_NOW: NOW.toISOString(), DATA_DIR: data });
  expect((await command(`archive ${other}`, environment)).result).toEqual(same);
});

it('the command is refused without a folder, and beside another run', async () => {
  const command = commandsOn(here.database);
  await expect(command('archive', { DATABASE_URL: 'postgres://me@here/air' })).rejects.toThrow(
    'name a folder, or set ARCHIVE_DIR',
  );
  const session = connect(here.database.target, {});
  await session`select pg_advisory_lock(hashtext('airseries'), hashtext('archive'))`;
  const folder = emptyFolder();
  await expect(command(`archive ${folder}`)).rejects.toThrow(
    'another session is making an archive from this database. Wait until it has finished',
  );
  expect(readdirSync(folder)).toEqual([]);
  await session.end();
});
