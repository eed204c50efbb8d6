/**
 * Interruptions of the making of the archive: a kill, a full disk, a folder that cannot be written
 * to. The folder has old or new files, all whole, and the next run does the rest.
 */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type Sql } from '../../../src/database/client.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../../support/database.ts';
import { until } from '../../support/patience.ts';
import { addressVariables, runProgram } from '../../support/program.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { needs } from '../../support/tools.ts';
import { isRoot } from '../../support/users.ts';
import { expectSaid, type } from '../../whole/mistakes/mistake.ts';
import { duck, indexOf } from './archiveValues.ts';
import { blank, emptyFolder, filesIn, isBlank, makerOf } from './support.ts';

const NOW = new Date('2026-11-05T02:23:00Z');
const LATER = new Date('2026-11-06T02:23:00Z');

onOneEngine('an archive', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    await bringIn(owner, smallNetwork());
    await owner`insert into raw.readings (measured_at, sensor_id, pm25, temperature)
      select at, sensor, 10 + sensor + extract(minute from at) / 7, random() * 20
      from generate_series(timestamptz '2026-09-28 10:10+04', timestamptz '2026-11-05 02:00Z', '1 hour') at,
        generate_series(1, 3) sensor`;
    await db.refresh(NOW);
  });
  afterAll(() => db.drop());

  const archive = (folder: string, now: Date, signal?: AbortSignal) =>
    makerOf(db)(folder, now, { signal });
  const pathsOf = (folder: string) => indexOf(folder).resources.map(({ path }) => path);

  it('an archive whose making is killed has old and new files, all whole, and the next run does the rest', async () => {
    const folder = emptyFolder();
    await archive(folder, NOW);
    const before = filesIn(folder);
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      values ('2026-09-29 10:20Z', 1, 99), ('2026-10-29 10:20Z', 1, 99)`;
    await db.refresh(LATER);
    // it stops at the days, which come after the hours
    const lock = connect(db.target, { role: 'airseries_owner' });
    await lock`begin`;
    await lock`lock table rollup.station_daily in access exclusive mode`;
    const running = runProgram([process.execPath, '--import', 'tsx', '--input-type=module', '-'], {
      environment: {},
      folder: new URL('../../..', import.meta.url).pathname,
      input: `import { makeArchive } from './src/extras/archive/makeArchive.ts';
        import { makeLog } from './src/base/log.ts';
        await makeArchive(${JSON.stringify(db.target)}, { folder: '${folder}', now: new Date('${LATER.toISOString()}'),
          timeZone: '${db.timeZone}', log: makeLog('silent'), terminal: false });`,
    });
    await until(() => existsSync(join(folder, 'days/2026.parquet.part')), 'the days are begun');
    process.kill(running.pid, 'SIGKILL');
    await running.finished;
    await lock.end();

    const killed = filesIn(folder);
    const changed = Object.keys(killed).filter((name) => killed[name] !== before[name]);
    expect(changed.sort()).toEqual([
      'datapackage.json',
      'days/2026.parquet.part',
      'hours/2026-09.parquet',
      'hours/2026-10.parquet',
    ]);
    expect(indexOf(folder).missing).toEqual([
      'regions-hours/2026-09.parquet',
      'regions-hours/2026-10.parquet',
    ]);
    for (const { path, rows, format } of indexOf(folder).resources) {
      if (format !== 'parquet') continue;
      const [found] = await duck(`select count(*) as rows from '${join(folder, path)}'`);
      expect(found).toEqual({ rows });
    }

    let archived: Awaited<ReturnType<typeof archive>>;
    await until(async () => {
      archived = await archive(folder, LATER);
      return archived !== undefined;
    }, 'the server has ended the session of the killed run');
    const whole = emptyFolder();
    await archive(whole, LATER);
    expect(archived?.changed.filter((name) => name.endsWith('.parquet'))).toEqual(
      ['days/2026', 'regions-hours/2026-09', 'regions-hours/2026-10', 'regions-days/2026'].map(
        (name) => `${name}.parquet`,
      ),
    );
    const { 'datapackage.json': index, ...files } = filesIn(folder);
    const { 'datapackage.json': _, ...wholeFiles } = filesIn(whole);
    expect(files).toEqual(wholeFiles);
    expect(index).not.toBe(before['datapackage.json']);
    expect(indexOf(folder).missing).toEqual([]);
  });

  it('a first build that ends early keeps the months that it has made, and the next makes the others', async () => {
    const folder = emptyFolder();
    const stopping = new AbortController();
    const made: string[] = [];
    const { signal } = stopping;
    const throwIfAborted = () => {
      made.splice(
        0,
        Infinity,
        ...(existsSync(join(folder, 'datapackage.json')) ? pathsOf(folder) : []),
      );
      if (made.length === 2) stopping.abort();
      signal.throwIfAborted();
    };
    const broken = Object.assign(Object.create(signal), { throwIfAborted });
    await expect(archive(folder, LATER, broken)).rejects.toThrow('aborted');
    expect(made).toEqual(['hours/2026-09.parquet', 'hours/2026-10.parquet']);
    const september = join(folder, 'hours/2026-09.parquet');
    blank(september); // would be made again as it was
    expect(indexOf(folder).missing).toContain('hours/2026-11.parquet');
    const { changed } = (await archive(folder, LATER)) ?? {};
    expect(changed).not.toContain('hours/2026-10.parquet');
    expect(changed).toContain('hours/2026-11.parquet');
    expect(isBlank(september)).toBe(true);
  });

  it('an archive on a full disk stays as it was, and the message says what to do', async () => {
    const folder = emptyFolder();
    await archive(folder, NOW);
    const before = filesIn(folder);
    await owner`update raw.readings set pm25 = 55 where measured_at = '2026-10-20 10:10+04'`;
    await db.refresh(LATER);
    // no file may be larger than 8 KiB, 16 blocks, so none of October's can be written
    const cli = new URL('../../../dist/cli.js', import.meta.url).pathname;
    const command = `ulimit -f 16; exec "$0" "$@"`;
    const limited = runProgram(
      ['/bin/sh', '-c', command, process.execPath, cli, 'archive', folder],
      {
        environment: {
          ...addressVariables(db.target),
          DATABASE_URL: 'postgres://',
          FIXED_NOW: LATER.toISOString(),
        },
      },
    );
    const { code, stderr } = await limited.finished;
    expect([code, stderr]).toEqual([1, expect.stringContaining(folder)]);
    expect(stderr).toContain('The files that are there stay whole. Make room there');
    expect(filesIn(folder)).toEqual(before);
    expect((await archive(folder, LATER))?.changed).toContain('hours/2026-10.parquet');
  });

  it("another user's folder, and a new one in it, are refused", needs('otherUser'), async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'private'), { mode: 0o700 });
    if (isRoot()) chmodSync(folder, 0o755);
    else chmodSync(join(folder, 'private'), 0o000);
    for (const path of ['private', 'private/new']) {
      const { code, stdout, stderr } = await type(`airseries archive ${path}`, folder);
      expectSaid(stderr, /archive: private.* is not open to this user.*Name a folder/);
      expect([code, stdout]).toEqual([1, '']);
    }
  });
});
