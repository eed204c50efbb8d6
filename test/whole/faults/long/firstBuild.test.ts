/**
 * The memory of a first build on TimescaleDB does not grow with the history: a backend needs some
 * 45 MB of its own for four years.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../../src/database/client.ts';
import { NOW } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { citiesOfOneStation } from '../../../support/installation.ts';
import { bringIn } from '../../../support/smallNetwork.ts';
import { needs } from '../../../support/tools.ts';

const OWN_MB = 90; // in one statement per level it was 144

/** The peak memory of a process in MB; undefined if it is not on this machine. */
function peakOf(pid: number): number | undefined {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  if (!/^Name:\s+postgres$/m.test(status)) return undefined;
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
}

describe('a first build', needs('timescale', 'linux'), () => {
  it('the first build of four years of 12 stations takes less than 90 MB', async ({ skip }) => {
    const database = await testDatabase('timescale');
    if (typeof database.target === 'string' || !database.target.host.startsWith('/'))
      skip('the server runs elsewhere');
    await bringIn(database.as(), citiesOfOneStation([...'abcdefghijkl']));
    await database.as()`
      insert into raw.readings (measured_at, sensor_id, temperature, humidity, pressure, pm25, pm10, no2)
      select at, sensor, 10, 50, 90000, 10 + sensor, 20, 5
      from generate_series(timestamptz '2022-11-20', '2026-11-20 11:00', '1 hour') at, generate_series(1, 12) sensor`;
    const sql = connect(database.target, { role: 'airseries_owner' });
    const [backend] = await sql<{ pid: number; shared: number }[]>`
      select pg_backend_pid() as pid, pg_size_bytes(current_setting('shared_buffers')) / 1048576.0::float8 as shared`;
    await sql`call rollup.refresh(${NOW})`;
    const peak = peakOf(backend?.pid ?? 0) ?? Number.NaN;
    await sql.end();
    await database.drop();
    expect(peak - (backend?.shared ?? 0)).toBeLessThan(OWN_MB);
  });
});
