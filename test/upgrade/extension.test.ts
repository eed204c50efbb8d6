/**
 * `alter extension timescaledb update`, as the README says, on a database of ours with compressed chunks: from the oldest version that this
 * server has to the newest, one after the other. Skipped where the server has only one.
 */
import { expect, it } from 'vitest';
import { makeWindows, queryStationHistory } from '../../src/api/history.ts';
import { WINDOWS } from '../../src/contract/windows.ts';
import { connect, type DatabaseAddress, onConnection } from '../../src/database/client.ts';
import { type Api, readsOn } from '../../src/database/pools.ts';
import { makeLog } from '../../src/log.ts';
import { audit } from '../../src/rollups/audit.ts';
import { maintain, refresh } from '../../src/rollups/refresh.ts';
import { isNewer } from '../../src/schema/engine.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { bringIn, NOW, smallNetwork } from '../ingest/support.ts';
import { emptyDatabase, engines } from '../support/database.ts';

const log = makeLog('silent');
const timeZone = 'Asia/Yerevan';

it.runIf(engines.includes('timescale'))('an update of the extension changes no answer', async ({ skip, annotate }) => {
  const { target, drop } = await emptyDatabase('timescale');
  const administer = (statement: string) => onConnection(target, {}, (sql) => sql.unsafe(statement));
  const available = await onConnection(
    target,
    {},
    (sql) => sql<{ version: string }[]>`select version from pg_available_extension_versions where name = 'timescaledb'`,
  );
  const versions = available.map(({ version }) => version).sort((a, b) => (isNewer(a, b) ? 1 : -1));
  if (versions.length < 2) {
    await drop();
    skip(`this server has only ${versions[0]}`);
  }
  const [oldest = '', ...later] = versions;
  await administer('drop extension if exists timescaledb');
  await administer(`create extension timescaledb version '${oldest}'`);
  await migrate(target, { timeZone, now: NOW, log });
  const owner = connect(target, { role: 'airseries_owner', timeZone });
  await bringIn(owner, smallNetwork());
  await owner`insert into raw.readings (measured_at, sensor_id, pm25, temperature)
    select at, sensor, extract(hour from at), sensor from generate_series(timestamptz '2025-10-01', '2026-11-20 11:30Z', '1 hour') at, generate_series(1, 3) sensor`;
  await refresh(target, NOW);
  await maintain(target, NOW);
  await owner`update raw.readings set pm25 = 99 where measured_at = '2026-01-05 10:00Z'`; // late, in a compressed chunk, and not refreshed yet
  await owner.end();
  await refresh(target, NOW);
  const before = await history(target);

  for (const version of later) {
    await administer(`alter extension timescaledb update to '${version}'`);
    await migrate(target, { now: NOW, log });
    expect(await history(target), version).toEqual(before);
    const change = (statement: string) =>
      onConnection(target, { role: 'airseries_owner' }, (sql) => sql.unsafe(statement));
    await change(`update raw.readings set pm25 = pm25 + 1 where measured_at = '2026-02-05 10:00Z'`);
    expect((await audit(target, { now: NOW, timeZone })).found, version).toEqual([]);
    await maintain(target, NOW);
    await change(`update raw.readings set pm25 = pm25 - 1 where measured_at = '2026-02-05 10:00Z'`);
    await refresh(target, NOW);
    expect(await history(target), version).toEqual(before);
  }
  annotate(`TimescaleDB updated in place: ${versions.join(' → ')}`);
  await drop();
});

/** The five windows of a station. */
async function history(target: DatabaseAddress) {
  return await onConnection(target, { role: 'airseries_reader', timeZone }, async (sql) => {
    const db = readsOn<Api>(sql);
    const windows = await makeWindows(db)(NOW);
    const answer = await queryStationHistory(db, windows, 2);
    return WINDOWS.map(({ key }) => answer?.[key]);
  });
}
