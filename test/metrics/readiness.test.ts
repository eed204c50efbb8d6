/** Readiness: the result of each check by name; a check that could not run is null. */
import { expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { readiness } from '../../src/metrics/adminApp.ts';
import { snapshotApiSurface } from '../../src/schema/apiSurface.ts';
import { storageFault } from '../../src/schema/storage.ts';
import { NOW } from '../support/clock.ts';
import { onOneEngine, testDatabase } from '../support/database.ts';

onOneEngine('readiness', (engine) => {
  it('readiness names the missing parts, from the start to an outage', async () => {
    const unknown = { database: null, schema: null, storage: null, first_build: null };
    expect(await readiness({ opened: undefined, serving: false })).toEqual({
      ok: false,
      checks: { migrations: false, ...unknown, serving: false },
    });

    const database = await testDatabase(engine);
    const db = openReaderPool(database.target, { timeZone: 'UTC' });
    const opened = {
      db,
      missing: await snapshotApiSurface(db),
      fault: () => storageFault(db, engine),
    };
    const expectNotReady = async (checks: object) =>
      expect(await readiness({ opened, serving: true })).toMatchObject({ ok: false, checks });
    // as before the first build
    await database.as()`update rollup.freshness set refreshed_at = null`;
    const found = { migrations: true, database: true, schema: true, storage: true };
    const migrated = { ...found, refreshed_at: null };
    await expectNotReady({ ...migrated, first_build: false, serving: true });
    await refresh(database.target, () => NOW);
    const built = { ...migrated, first_build: true, refreshed_at: '2026-11-20T12:00:00+00:00' };
    expect(await readiness({ opened, serving: false })).toEqual({
      ok: false,
      checks: { ...built, serving: false },
    });
    expect(await readiness({ opened, serving: true })).toEqual({
      ok: true,
      checks: { ...built, serving: true },
    });

    const unasked = { ...opened, fault: () => Promise.reject(new Error('no answer')) };
    expect(await readiness({ opened: unasked, serving: true })).toEqual({
      ok: false,
      checks: { ...built, storage: null, serving: true },
    });
    await database.superuser()`alter table raw.readings drop constraint readings_pkey`;
    await expectNotReady({
      storage: false,
      fault: expect.stringContaining('lost its primary key'),
    });
    await database.superuser()`alter table raw.readings add primary key (sensor_id, measured_at)`;

    await database.as()`create view api.added as select 1 as n`;
    // an added view disturbs nobody
    expect(await readiness({ opened, serving: true })).toMatchObject({ ok: true });
    await database.as()`drop function api.newest_bucket`;
    await database.as()`create function api.newest_bucket(at timestamptz, more int) returns table (subject text, resolution text, "timestamp" timestamptz)
      language sql begin atomic select null, null, at; end`;
    await expectNotReady({ missing: ['newest_bucket needs 1 arguments'] });
    await database.as()`drop view api.station_flag cascade`;
    await expectNotReady({
      database: true,
      schema: false,
      missing: expect.arrayContaining(['station_flag.reason text']),
    });

    await database.superuser().unsafe('drop schema api cascade');
    await expectNotReady({ database: true, schema: false, first_build: null });

    await database.drop();
    await expectNotReady({ migrations: true, database: false, schema: null, first_build: null });
    await db.destroy();
  });
});
