/**
 * Imports and what happens beside them: another import of the same or another file, an undo, a
 * deletion. Each meets the others in the middle of its statement, where a lock holds it.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { canonical } from '../../../src/ingest/canonical.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { listImports, undoImport } from '../../../src/ingest/store/imports.ts';
import { differences } from '../../aggregate/differences.ts';
import { file, reading } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import {
  isRepetition,
  onEveryEngine,
  type TestDatabase,
  testDatabase,
} from '../../support/database.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { untilWaiting } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';

const HOURS = 48;
const timeOf = (hour: number) => new Date(NOW.getTime() - hour * 3_600_000).toISOString();

onEveryEngine('imports at once', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let superuser: Sql;
  /** A command each. */
  let pools: Sql[];
  beforeAll(async () => {
    db = await testDatabase(engine);
    [owner, superuser] = [db.as(), db.superuser()];
    pools = [db.as('airseries_ingest'), db.as('airseries_ingest')];
    await bringIn(owner, smallNetwork());
  });
  beforeEach(async () => {
    await owner`truncate raw.readings, raw.quarantine, raw.import restart identity cascade`;
    await push(5);
  });
  afterAll(() => db.drop());

  const push = (pm25: number) =>
    acceptReadings(pools[0] as Sql, [reading(1, timeOf(1), { pm25, pm10: 9 })], {
      now: NOW,
      source: 'push',
    });
  const bring = (sql: Sql, path: string) =>
    importReadings(sql, [path], {
      now: NOW,
      log: keepingLog(),
      terminal: false,
      formats: canonical,
    });
  const table = (name: string, pm25: number) => {
    const hours = Array.from({ length: HOURS }, (_, hour) => `1,${timeOf(hour)},${pm25},`);
    return file(name, ['sensor_id,time,pm25,pm10', ...hours, ''].join('\n'));
  };
  const values = async () =>
    (
      await owner`select pm25, pm10, count(*)::int as n from raw.readings group by 1, 2 order by 1`
    ).map((row) => ({ ...row }));

  /** Begins works that write the last reading, which is locked until all of them wait. */
  async function atOnce(works: (() => Promise<unknown>)[], lock: string): Promise<unknown[]> {
    const release = await openTransaction(owner, lock);
    const begun: Promise<unknown>[] = [];
    for (const [index, work] of works.entries()) {
      const promise = work();
      promise.catch(() => undefined);
      begun.push(promise);
      await untilWaiting(superuser, { many: index + 1 });
    }
    await release('commit');
    return await Promise.all(begun);
  }
  const LOCK = `select from raw.readings where sensor_id = 1 and measured_at = '${timeOf(1)}' for update`;

  it.each([
    [1, 2],
    [2, 1],
  ])(
    'a file that is imported twice at once is stored once, and both imports can be undone: %i, then %i (S11)',
    async (...order) => {
      const path = table('a.csv', 50);
      await atOnce(
        pools.map((pool) => () => bring(pool, path)),
        LOCK,
      );
      expect(await values()).toEqual([{ pm25: 50, pm10: null, n: HOURS }]);
      for (const number of order)
        await undoImport(pools[0] as Sql, number, NOW).catch((error: Error) =>
          expect(error.message).toContain('it changed nothing'),
        );
      expect(await values()).toEqual([{ pm25: 5, pm10: 9, n: 1 }]);
      expect(await differences(db)).toEqual([]);
    },
  );

  if (isRepetition(engine)) return;

  it('of two files that are imported at once, undoing the later one puts back the values of the other (S11)', async () => {
    const paths = [table('a.csv', 50), table('b.csv', 60)];
    await atOnce(
      pools.map((pool, index) => () => bring(pool, paths[index] as string)),
      LOCK,
    );
    const [last] = await values();
    expect(last).toMatchObject({ n: HOURS });
    const [other, mine] = last?.pm25 === 60 ? [50, 60] : [60, 50];
    const imports = await listImports(owner, 2);
    const numberOf = (value: number) =>
      imports.find(({ source }) => source.endsWith(value === 50 ? 'a.csv' : 'b.csv'))?.number ?? 0;
    await undoImport(pools[0] as Sql, numberOf(mine), NOW);
    expect(await values()).toEqual([{ pm25: other, pm10: null, n: HOURS }]);
    await undoImport(pools[0] as Sql, numberOf(other), NOW);
    expect(await values()).toEqual([{ pm25: 5, pm10: 9, n: 1 }]);
    expect(await differences(db)).toEqual([]);
  });

  it('an undo leaves what a file changes meanwhile, and undoing that file puts back what it found (S11)', async () => {
    await bring(pools[0] as Sql, table('a.csv', 50));
    const other = table('b.csv', 60);
    await atOnce(
      [() => undoImport(pools[0] as Sql, 1, NOW), () => bring(pools[1] as Sql, other)],
      LOCK,
    );
    expect((await values()).map(({ pm25 }) => pm25)).not.toContain(50);
    await undoImport(pools[0] as Sql, 2, NOW);
    expect(await values()).toEqual([{ pm25: 5, pm10: 9, n: 1 }]);
    expect(await differences(db)).toEqual([]);
  });

  it('an undo whose readings are deleted meanwhile begins again', async () => {
    await bring(pools[0] as Sql, table('a.csv', 50));
    const undone = await atOnce(
      [() => undoImport(pools[0] as Sql, 1, NOW)],
      `delete from raw.readings where sensor_id = 1 and measured_at = '${timeOf(2)}'`,
    );
    expect(undone).toMatchObject([{ kept: [{ sensor_id: 1, values: 1 }] }]);
    expect(await values()).toEqual([{ pm25: 5, pm10: 9, n: 1 }]);
  });

  it('two undos of an import at once are one', async () => {
    await bring(pools[0] as Sql, table('a.csv', 50));
    const undone = await atOnce(
      pools.map((pool) => () => undoImport(pool, 1, NOW)),
      LOCK,
    );
    expect(undone).toMatchObject([{ readings: HOURS }, { readings: 0 }]);
    expect(await values()).toEqual([{ pm25: 5, pm10: 9, n: 1 }]);
  });
});
