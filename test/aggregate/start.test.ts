/**
 * The start of a worker: the demo's last month is served at once, and its history follows behind
 * the jobs.
 */
import { expect, it } from 'vitest';
import { claimsOn } from '../../src/aggregate/claims.ts';
import { startJobs } from '../../src/aggregate/schedule.ts';
import { openDemo } from '../../src/extras/demo/demo.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { observeJobs } from '../../src/metrics/recorders.ts';
import { keepingLog } from '../ingest/support.ts';
import { onEveryEngineInAll, testDatabase } from '../support/database.ts';
import { until } from '../support/service.ts';

const DAY = 86_400_000;
const NOW = new Date('2026-11-20T12:00:00Z');

onEveryEngineInAll('a worker in an empty database', (engine) => {
  it('has values of the last month before its jobs start, and those before once the history is loaded', async () => {
    const database = await testDatabase(engine);
    const sql = database.as();
    // as far as the history goes
    await sql`update raw.installation set ingest_cutoff = ${new Date(NOW.getTime() - 40 * DAY)}`;
    const log = keepingLog();
    const { target, timeZone } = database;
    const clock = () => NOW;
    const demo = await openDemo(target, 'on', { timeZone, clock, log, terminal: false });
    const context = { target, clock, log, terminal: false, observer: observeJobs(makeMetrics()) };
    const stopJobs = await startJobs([], { ...context, claim: claimsOn(target) });
    demo.begin();
    const [atOnce] = await sql<{ hours: number; regions: number }[]>`
      select (select count(*)::int from rollup.region_hourly) as hours, (select count(*)::int from rollup.digest) as regions`;
    expect(atOnce?.hours).toBeGreaterThan(30 * 24);
    expect(atOnce?.regions).toBeGreaterThan(5);
    const daysBefore = async () =>
      (
        await sql`select from rollup.station_daily where bucket < ${new Date(NOW.getTime() - 33 * DAY)}`
      ).length;
    await until(async () => (await daysBefore()) > 0, 'the history shows');
    await Promise.all([stopJobs(), demo.stop()]);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(await sql`select * from logic.differences('-infinity', 'infinity')`).toEqual([]);
    await database.drop();
  });
});
