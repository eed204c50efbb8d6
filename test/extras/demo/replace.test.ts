/**
 * The demo makes room for a city's network: no invented record is left, and nothing that may be in
 * use is dropped.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { refresh } from '../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../src/base/log.ts';
import { connect, onConnection, type Sql } from '../../../src/database/client.ts';
import { copyMissing, installDemo } from '../../../src/extras/demo/demo.ts';
import { clearDemo } from '../../../src/extras/demo/replace.ts';
import { createToken } from '../../../src/ingest/http/tokens.ts';
import { LEVELS } from '../../../src/schema/aggregates.ts';
import { NOW } from '../../support/clock.ts';
import {
  isAll,
  onEveryEngineInAll,
  type TestDatabase,
  testDatabase,
} from '../../support/database.ts';
import { addressVariables, makeHome, runAirseries } from '../../support/program.ts';

const log = makeLog('silent');

/** The network of src/network/README.md, whose sensors 11 and 12 are the demo's ids. */
function readmeNetwork() {
  const text = readFileSync(new URL('../../../src/network/README.md', import.meta.url), 'utf8');
  return JSON.parse(/```json\n(\{\n {2}"time_zone".*?)```/s.exec(text)?.[1] ?? '');
}

onEveryEngineInAll('import network into a demo database', (engine) => {
  let db: TestDatabase;
  const { folder, remove } = makeHome();
  beforeAll(async () => {
    db = await testDatabase(engine);
    await owner(
      (sql) => sql`update raw.installation
        set ingest_cutoff = ${NOW}::timestamptz - interval '1 day'`,
    );
    await installDemo(db.target, { timeZone: db.timeZone, clock: () => NOW, log, terminal: false });
    await owner(async (sql) => {
      while ((await copyMissing(sql, NOW)) > 0);
      await createToken(sql, { name: 'old', provider: 'airseries-demo', stations: null, now: NOW });
    });
    await refresh(db.target, () => NOW);
    await owner(
      (sql) =>
        sql`update raw.installation set retained_from = ${NOW}::timestamptz - interval '9 days'`,
    );
  });
  afterAll(async () => {
    remove();
    await db.drop();
  });

  const owner = <T>(work: (sql: Sql) => PromiseLike<T>) =>
    onConnection(db.target, { role: 'airseries_owner' }, work);
  /** Runs a command as an operator does. */
  async function airseries(words: string[], environment: Record<string, string> = {}) {
    // a URL without a database: the driver takes its name from the variables
    const variables = { ...addressVariables(db.target), DATABASE_URL: 'postgres://' };
    return await runAirseries(words, { ...variables, FIXED_NOW: NOW.toISOString(), ...environment })
      .finished;
  }
  function networkFile(network: object): string {
    const file = join(folder, 'network.json');
    writeFileSync(file, JSON.stringify(network));
    return file;
  }
  const state = () =>
    owner(async (sql) => [
      ...(await sql`
        select time_zone, retained_from > '-infinity' as retained, (select count(*)::int from raw.station) as stations,
          (select count(*)::int from raw.readings) as readings, (select count(*)::int from rollup.sensor_hourly) as hours,
          (select count(*)::int from raw.token) as tokens
        from raw.installation`),
    ]);

  it('an import into the demo is refused without --replace-demo, and into another zone than the one that is set; nothing changes', async () => {
    const before = await state();
    expect(before).toMatchObject([{ retained: true, stations: 40, tokens: 1 }]);
    const network = readmeNetwork();
    const replace = (other: object = network) => [
      'import',
      'network',
      networkFile(other),
      '--replace-demo',
    ];
    const refused = async (words: string[], said: RegExp, environment = {}) => {
      const { code, stderr } = await airseries(words, environment);
      expect(stderr).toMatch(said);
      expect(code).not.toBe(0);
      expect(await state()).toEqual(before);
    };
    await refused(
      ['import', 'network', networkFile(network)],
      /contains the demo network.*import network FILE --replace-demo\. Nothing of the demo is kept/,
    );
    await refused(replace(), /TIME_ZONE is UTC, but this network is in Asia\/Yerevan/, {
      TIME_ZONE: 'UTC',
    });
    if (isAll) {
      await refused(
        ['network', 'remove', 'station', '1', '--with-readings'],
        /contains the demo network.*import network FILE --replace-demo/,
      );
      await refused(
        [...replace(), '--dry-run'],
        /'--replace-demo' cannot be used with option '--dry-run'/,
      );
      const broken = { ...network, stations: [{ ...network.stations[0], regions: ['nowhere'] }] };
      await refused(
        replace(broken),
        /network\.json has a problem; nothing was imported\.\n.*nowhere/,
      );
    }
  });

  it('a demo that something else uses or depends on is not dropped', async () => {
    const before = await state();
    const asSuperuser = (statements: string) =>
      onConnection(db.target, {}, (sql) => sql.unsafe(statements).simple());
    const refused = async (said: RegExp) => {
      const clear = () => onConnection(db.target, {}, (sql) => clearDemo(sql));
      // the server ends sessions of earlier connections a moment later than their clients
      await expect.poll(() => clear().catch((error: Error) => error.message)).toMatch(said);
      expect(await state()).toEqual(before);
    };
    const service = connect(db.target, { name: 'airseries read' }); // as a running service does
    await service`select`;
    await refused(/A service or another command of airseries uses this database .*Stop it/);
    await service.end();

    await asSuperuser(`insert into raw.provider (id, title) values ('other', 'Other')`);
    await refused(/more than the demo \(providers: other\)/);
    await asSuperuser(`delete from raw.provider where id = 'other'`);

    const analyst = `analyst_${db.target.database}`;
    await asSuperuser(`create role ${analyst}; create schema reports;
      create view reports.stations as select id from api.station;
      grant select on api.station to ${analyst}`);
    await refused(
      new RegExp(
        `would be dropped with the demo:\\nview reports\\.stations \\(owner \\S+\\)\\n\\s*grant SELECT on api\\.station to ${analyst}\\n\\s*Nothing was changed\\. Keep the definition`,
      ),
    );
    await asSuperuser(
      `drop schema reports cascade; drop owned by ${analyst}; drop role ${analyst}`,
    );
  });

  it('an import with --replace-demo rebuilds the database in the file’s zone, without any invented record', async () => {
    const network = { ...readmeNetwork(), time_zone: 'Europe/Berlin' };
    const words = ['import', 'network', networkFile(network), '--replace-demo'];
    const replaced = await airseries(words);
    expect(replaced).toMatchObject({ code: 0 });
    expect(JSON.parse(replaced.stdout)).toMatchObject({ stations: { added: 1, unlisted: [] } });
    expect(await state()).toEqual([
      {
        time_zone: 'Europe/Berlin',
        retained: false,
        stations: 1,
        readings: 0,
        hours: 0,
        tokens: 0,
      },
    ]);
    const left = await owner(async (sql) => {
      const tables = [
        ...LEVELS.map(({ name }) => `rollup.${name}`),
        'rollup.current',
        'raw.placement where sensor_id not in (11, 12)',
        'rollup.expired_month',
        'raw.quarantine',
      ];
      const counts = await Promise.all(
        tables.map(async (table) => [table, (await sql.unsafe(`select from ${table}`)).length]),
      );
      return counts.filter(([, rows]) => rows !== 0);
    });
    expect(left).toEqual([]);
    if (engine === 'timescale') {
      const kept = await owner(
        (sql) => sql`
        select (select count(*)::int from timescaledb_information.continuous_aggregates) as aggregates,
          (select count(*)::int from timescaledb_information.chunks) as chunks`,
      );
      expect(kept).toEqual([{ aggregates: LEVELS.length, chunks: 0 }]);
    }

    // readings of the demo's ids, two years old, are accepted; the same command changes nothing
    if (!isAll) return;
    const old = join(folder, 'old.csv');
    writeFileSync(
      old,
      'sensor_id,time,pm25\n11,2024-11-20T08:00:00Z,12.5\n11,2024-11-20T08:30:00Z,13.5\n',
    );
    const imported = await airseries(['import', 'readings', old]);
    expect(JSON.parse(imported.stdout)).toMatchObject({ accepted: 2 });
    const again = await airseries(words);
    expect(JSON.parse(again.stdout)).toMatchObject({ stations: { unchanged: 1 } });
    expect(
      await owner(
        (sql) => sql`select bucket, pm25 from rollup.station_hourly where station_id = 1`,
      ),
    ).toEqual([{ bucket: '2024-11-20T08:00:00+00:00', pm25: 13 }]);
    expect(await airseries(['demo'], { DEMO: 'on' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs an empty database'),
    });
  });
});
