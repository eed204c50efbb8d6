/** Every change of published data raises the data version, and each process hears of it. */
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { screen } from '../../src/network/screening.ts';
import { type DataVersionWatch, watchDataVersion } from '../../src/serve/dataVersion.ts';
import { NOW } from '../support/clock.ts';
import { onOneEngine } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { keepingLog } from '../support/keepingLog.ts';

onOneEngine('the data version', (engine) => {
  let here: Installation;
  let owner: Sql;
  const network = citiesOfOneStation(['town']);
  beforeAll(async () => {
    here = await install(engine, {
      ...network,
      stations: network.stations.map((one) => ({ ...one, screening: true })),
    });
    owner = here.database.as();
    return () => here.close();
  });

  const version = async (sql = owner) => {
    const [row] = await sql<{ data_version: number }[]>`select data_version from rollup.freshness`;
    return row?.data_version ?? 0;
  };

  it.each([
    [
      'a refresh of what was measured',
      async () => {
        await here.accept([reading(1, new Date(NOW.getTime() - 60_000), { pm25: 5 })]);
        await here.refresh(NOW);
      },
    ],
    ['a digest', () => here.digest(NOW)],
    [
      'an import of the network that changes it',
      () =>
        here.importNetwork({
          ...network,
          stations: network.stations.map((one) => ({ ...one, altitude: 7 })),
        }),
    ],
  ])('the data version is raised by %s', async (_, change) => {
    const before = await version();
    await change();
    expect(await version()).toBeGreaterThan(before);
  });

  it.each([
    ['a refresh that has nothing to do', () => here.refresh(NOW)],
    ['a digest that is there already', () => here.digest(NOW)],
    ['an import of the same network', () => here.importNetwork(network)],
  ])('the data version is not raised by %s', async (_, repeat) => {
    await repeat();
    const before = await version();
    await repeat();
    expect(await version()).toBe(before);
  });

  it('the data version is raised by a screening that changes a flag, and not by one that changes none', async () => {
    const before = await version();
    await screen(here.database.target, NOW);
    expect(await version()).toBe(before);
    await here.importNetwork({
      ...network,
      stations: network.stations.map((one) => ({ ...one, screening: true })),
    });
    const hours = Array.from(
      { length: 30 },
      (_, n) => new Date(NOW.getTime() - (n + 0.5) * 3_600_000),
    );
    await here.accept(hours.map((at) => reading(1, at, { temperature: 0, humidity: 0 })));
    await here.refresh(NOW);
    const refreshed = await version();
    // zero, and constant twice
    expect(await screen(here.database.target, NOW)).toMatchObject({ raised: 3 });
    expect(await version()).toBe(refreshed + 1);
  });

  describe('as a process watches it', () => {
    let watch: DataVersionWatch;
    let changes: string[];
    let log: ReturnType<typeof keepingLog>;
    const clock = vi.fn(() => NOW); // each look at the database asks it
    beforeEach(() => {
      changes = [];
      log = keepingLog();
      const { target, timeZone } = here.database;
      const db = openReaderPool(target, { timeZone, max: 2 });
      const onHistoryChange = (change: string) => changes.push(change);
      watch = watchDataVersion({ db, clock, log, pollMs: 5, onHistoryChange });
      return async () => {
        watch.close();
        await db.destroy();
      };
    });
    const heard = (wanted: number) =>
      expect.poll(() => watch.current()?.version, { interval: 5 }).toBe(wanted);

    it('a process knows the data version at once, and each new one soon after', async () => {
      await here.refresh(NOW);
      const before = await version();
      await heard(before);
      for (const n of [1, 2, 3]) {
        await here.digest(new Date(NOW.getTime() + n * 60_000));
        await heard(before + n);
      }
      expect(watch.lastKnown()).toEqual({ version: before + 3, history: 1, confirmedAt: NOW });
    });

    it('a process takes a higher version from a document that it read, if its history is the same', async () => {
      const before = await version();
      await heard(before);
      watch.close(); // or it would hear that it was set back
      for (const seen of [before - 1, Number.NaN, Number.POSITIVE_INFINITY])
        watch.sawVersion(seen, 1);
      watch.sawVersion(before + 5, 2); // another history
      expect(watch.current()?.version).toBe(before);
      watch.sawVersion(before + 5, 1);
      expect(watch.current()).toMatchObject({ version: before + 5, history: 1 });
    });

    it('a data version that was set back begins another history', async () => {
      const before = await version();
      await heard(before);
      expect(changes).toEqual([]);
      await owner`update rollup.freshness set data_version = data_version - 1`;
      await heard(before - 1);
      expect(changes).toEqual(['set_back']);
      expect(watch.lastKnown()?.history).toBe(2);
    });

    it('a replica that is behind is not heard, and its data version begins no history', async () => {
      const before = await version();
      await heard(before);
      await owner`create or replace view api.server as select true as is_replica`;
      await owner`update rollup.freshness set data_version = data_version - 1`;
      await expect.poll(() => watch.current(), { interval: 5 }).toBeUndefined();
      const asked = clock.mock.calls.length;
      await expect.poll(() => clock.mock.calls.length, { interval: 5 }).toBeGreaterThan(asked + 2);
      await owner`update rollup.freshness set data_version = data_version + 2`;
      await heard(before + 1);
      expect([changes, watch.lastKnown()?.history]).toEqual([[], 1]);
      expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info']); // once each
    });
  });
});
