/**
 * Two workers, one of which is cut off or stopped in the middle of its jobs: each run happens once
 * or late. Twice at once does no harm, and nothing is taken back.
 */
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { claimsOn } from '../../src/aggregate/claims.ts';
import { makeJobs } from '../../src/aggregate/jobs.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import { runJob } from '../../src/aggregate/schedule.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import type { Sql } from '../../src/database/client.ts';
import { NOW } from '../support/clock.ts';
import { onOneEngine } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { lockWaits } from '../support/lockWaits.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { until } from '../support/patience.ts';
import { openWire } from '../support/wire.ts';

const MINUTE = 60_000;
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE);
const RETENTION = '60 days';

onOneEngine('two workers', (engine) => {
  let here: Installation;
  let superuser: Sql;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town']));
    superuser = here.database.superuser();
  });
  afterAll(() => here.close());
  beforeEach(() => superuser`truncate raw.job_run`);

  /** A process of its own: its jobs, and how its runs ended. */
  function worker(target: DatabaseAddress) {
    const { timeZone } = here.database;
    const log = keepingLog();
    const clock = () => NOW;
    const jobs = makeJobs({ target, timeZone, clock, log, retention: RETENTION, undoDays: 90 });
    type Outcome = 'started' | 'succeeded' | 'failed';
    const runs: Record<Outcome, string[]> = { started: [], succeeded: [], failed: [] };
    const observer = {
      onScheduled: () => undefined,
      onStarted: (job: string) => void runs.started.push(job),
      onSucceeded: (job: string) => void runs.succeeded.push(job),
      onFailed: (job: string) => void runs.failed.push(job),
    };
    const context = { clock, log, observer, claim: claimsOn(target) };
    const names = jobs.map(({ name }) => name).toSorted();
    return { names, runs, work: () => Promise.all(jobs.map((job) => runJob(job, context))) };
  }

  /** Everything that jobs write, except when they wrote it. */
  const state = async () => {
    const tables = ['sensor_hourly', 'station_daily', 'region_monthly', 'digest', 'current'];
    const rows = tables.map(
      (table) => superuser`select t::text as row from rollup.${superuser(table)} t order by 1`,
    );
    const others = superuser`
      select (select count(*)::int from raw.readings) as readings, (select count(*)::int from raw.quarantine) as quarantined,
        (select count(*)::int from raw.screened_period) as screened, (select retained_from from raw.installation)`;
    return await Promise.all([...rows, others]);
  };
  const waitingForLocks = async () => (await lockWaits(superuser, {})).length;
  /** Cut off halfway through a message, a session would be `active` until TCP gives its client up. */
  const halfwayThroughMessages = async () =>
    (
      await superuser`
      select from pg_stat_activity
      where datname = current_database() and state = 'active' and wait_event = 'ClientRead'`
    ).length;

  it('a worker that is cut off in the middle of its jobs holds up no other, and jobs run twice do no harm', async () => {
    await here.accept([
      ...[5, 65].map((minutes) => reading(1, ago(minutes), { pm25: 10 })),
      reading(1, '2026-08-01T00:00:00Z', { pm25: 20 }), // to be deleted
    ]);
    const wire = await openWire(here.database.target as never);
    onTestFinished(() => wire.close());
    const [cutOff, other] = [worker(wire.target), worker(here.database.target)];
    const end = await openTransaction(
      superuser,
      'lock table raw.readings, rollup.digest, raw.quarantine',
    );
    const lost = cutOff.work();
    const isUnderWay = async () =>
      cutOff.runs.started.length === cutOff.names.length &&
      (await waitingForLocks()) >= 3 &&
      (await halfwayThroughMessages()) === 0;
    await until(isUnderWay, 'its jobs wait in the server');
    wire.cut(true);
    const rows = await superuser<{ pid: number }[]>`
      select pid from pg_stat_activity
      where application_name = 'airseries refresh' and datname = current_database()`;
    const left = rows.map(({ pid }) => pid);
    // it is the next minute
    await superuser`update raw.job_run set minute = minute - interval '1 minute'`;
    let isDone = false;
    const done = other.work().then(() => {
      isDone = true;
    });
    await end('rollback');
    // the server does this after ten seconds: REFRESH_SESSION in refresh.ts
    const endIdle = () => superuser`
      select pg_terminate_backend(pid) from pg_stat_activity
      where pid in ${superuser(left)} and state = 'idle'`;
    await until(async () => (await endIdle()) && isDone, 'the other has done its jobs');
    await done;
    await wire.close();
    await lost;
    expect(cutOff.runs.started.toSorted()).toEqual(cutOff.names);
    expect(other.runs.succeeded.toSorted()).toEqual(other.names);
    expect(other.runs.failed).toEqual([]);

    const after = await state();
    expect(
      await here.database.as()`select * from logic.differences('-infinity', 'infinity')`,
    ).toEqual([]);
    await superuser`truncate raw.job_run`;
    const again = worker(here.database.target);
    await again.work(); // finds nothing to do
    expect(again.runs.succeeded.toSorted()).toEqual(again.names);
    expect(await state()).toEqual(after);
    expect(after.at(-1)).toMatchObject([{ readings: 2 }]);
  });

  it('a worker that was stopped before its refresh never replaces newer values by older ones', async () => {
    await here.accept([reading(1, ago(4), { pm25: 11 }), reading(1, ago(1), { pm25: 12 })]);
    let now = ago(3); // by the clock of both
    await superuser`select`; // the driver reserves only connections that are already open
    const other = await superuser.reserve();
    await other`call raw.acquire_lock('rollup.refresh')`;
    const stopped = refresh(here.database.target, () => now);
    await until(async () => (await waitingForLocks()) === 1, 'it waits for the other');
    now = NOW;
    await other`call rollup.refresh(${now})`;
    await other`select raw.release_lock('rollup.refresh')`;
    other.release();
    await stopped;
    const [shown] =
      await superuser`select max(measured_at) as at from rollup.current where sensor_id = 1`;
    expect(new Date(shown?.at)).toEqual(ago(1));
  });
});
