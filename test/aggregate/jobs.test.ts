/**
 * The effect of one run of each job of the core on the API or the published views. When they run
 * is in schedule.test.ts.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeJobs } from '../../src/aggregate/jobs.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase } from '../support/database.ts';
import {
  type Body,
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { tamper } from './storage.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const ago = (milliseconds: number) => new Date(NOW.getTime() - milliseconds);

/** Each job has a city named after it, so that the tests do not affect each other. */
const JOBS = ['refresh', 'digest', 'screen', 'trim_quarantine', 'maintain', 'audit'] as const;
type Name = (typeof JOBS)[number];
const CITIES = JOBS.map((name) => name.replace('_', '-'));
const sensorOf = (name: Name) => JOBS.indexOf(name) + 1;

/** Only the station of the job `screen` is screened. */
function network() {
  const base = citiesOfOneStation(CITIES);
  const stations = base.stations.map((station) => ({
    ...station,
    screening: station.id === sensorOf('screen'),
  }));
  return { ...base, stations };
}

const log = keepingLog();
const jobsOn = ({ target, timeZone }: TestDatabase) =>
  makeJobs({ target, timeZone, clock: () => NOW, log, retention: '60 days', undoDays: 90 });

onEveryEngineInAll('the jobs of the worker', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, network());
  });
  afterAll(() => here.close());

  const run = async (name: Name, database = here.database) => {
    const job = jobsOn(database).find((candidate) => candidate.name === name);
    expect(job, `the job ${name}`).toBeDefined();
    await job?.run(NOW);
  };
  const station = (name: Name) => here.get(`station/${sensorOf(name)}.json`, NOW);
  const region = (slug: string, at: Date) => here.get(`region/${slug}.json`, at);

  it('job refresh adds an accepted reading to the history, and records when (S4)', async () => {
    await here.accept([reading(sensorOf('refresh'), ago(HOUR), { pm25: 10 })]);
    const history = () => here.get(`station/${sensorOf('refresh')}-history.json`, NOW);
    expect((await history())['24h']).toEqual([]);
    await run('refresh');
    expect((await history())['24h']).toMatchObject([
      { timestamp: '2026-11-20T15:00:00+04:00', avg_pm25: 10 },
    ]);
    expect(await here.published`select refreshed_at from api.freshness`).toEqual([
      { refreshed_at: '2026-11-20T16:00:00+04:00' },
    ]);
  });

  it('job refresh leaves the running day for later if it has just been brought up to date (S4)', async () => {
    const owner = here.database.as();
    const days = () =>
      owner`select pm10 from rollup.station_daily where station_id = ${sensorOf('refresh')} order by bucket`;
    await here.accept([reading(sensorOf('refresh'), ago(MINUTE), { pm10: 10 })]);
    await run('refresh');
    expect(await days()).toEqual([{ pm10: null }]);
    await here.refresh(NOW);
    expect(await days()).toEqual([{ pm10: 10 }]);
  });

  it('job digest gives a region its current values (C4)', async () => {
    await here.accept([reading(sensorOf('digest'), ago(MINUTE), { pm25: 10 })]);
    await run('refresh');
    expect(await region('digest', NOW)).toMatchObject({ 'pm2.5': null, station_count: null });
    await run('digest');
    expect(await region('digest', NOW)).toMatchObject({
      measurement_time: '2026-11-20T16:00:00+04:00',
      'pm2.5': 10,
      station_count: 1,
    });
  });

  it('job screen flags a station with zero temperature and humidity (C5)', async () => {
    const zero = { temperature: 0, humidity: 0 };
    await here.accept(
      [3, 2, 1].map((hours) => reading(sensorOf('screen'), ago(hours * HOUR), zero)),
    );
    await here.refresh(NOW);
    expect(await station('screen')).toMatchObject({ status: 'online', is_bad_thp: false });
    await run('screen');
    expect(await station('screen')).toMatchObject({ status: 'online', is_bad_thp: true });
  });

  it('job trim_quarantine deletes lines older than 90 days, and no others', async () => {
    const waiting = () => here.published`select reason, lines from api.quarantine_lines`;
    await here.accept([reading(901, ago(92 * DAY), { pm25: 1 })], ago(91 * DAY));
    await here.accept([reading(902, ago(90 * DAY), { pm25: 1 })], ago(89 * DAY));
    expect(await waiting()).toEqual([{ reason: 'unknown_sensor', lines: 2 }]);
    await run('trim_quarantine');
    expect(await waiting()).toEqual([{ reason: 'unknown_sensor', lines: 1 }]);
  });

  it('job audit records that no bucket differs (A10)', async () => {
    const last = () => here.published`select made_at, differing from api.last_audit`;
    expect(await last()).toEqual([]);
    await run('audit');
    expect(await last()).toEqual([{ made_at: '2026-11-20T16:00:00+04:00', differing: 0 }]);
  });

  it('job audit logs the buckets that differ, and leaves them', async () => {
    const owner = here.database.as();
    await here.accept([reading(sensorOf('audit'), ago(30 * MINUTE), { pm25: 10 })]);
    await here.refresh(NOW);
    const set = (value: number) =>
      tamper(owner, 'region_hourly', `update %s set pm25 = ${value} where region_slug = 'audit'`);
    await set(11);
    log.lines.length = 0;
    await run('audit');
    await run('audit');
    const differing = {
      level: 'error',
      message: 'aggregates differ from the readings: run audit --repair',
    };
    expect(log.lines.filter((line) => line.level === 'error')).toMatchObject([
      {
        ...differing,
        fields: {
          buckets: 1,
          first: [{ level: 'region_hourly', subject: 'audit', columns: ['pm25'] }],
        },
      },
      differing,
    ]);
    await set(10);
  });

  it('job maintain deletes expired readings and old digests, and keeps the history', async () => {
    const id = sensorOf('maintain');
    const months = ['2026-07-10', '2026-09-10', '2026-10-10', '2026-11-19'];
    await here.accept(months.map((day) => reading(id, `${day}T08:00:00Z`, { pm25: 10 })));
    await here.refresh(NOW);
    await here.accept([
      reading(id, ago(36 * DAY), { pm25: 20 }),
      reading(id, ago(34 * DAY), { pm25: 30 }),
    ]);
    for (const days of [36, 34]) await here.digest(ago(days * DAY));
    const ofDay = async (days: number) => (await region('maintain', ago(days * DAY)))['pm2.5'];
    expect([await ofDay(36), await ofDay(34)]).toEqual([20, 30]);
    await run('maintain');

    expect([await ofDay(36), await ofDay(34)]).toEqual([null, 30]);
    const late = ['2026-07-11', '2026-09-11'].map((day) =>
      reading(id, `${day}T08:00:00Z`, { pm25: 10 }),
    );
    expect(await here.accept(late)).toMatchObject({
      accepted: 1,
      quarantined: [{ index: 0, reason: 'older_than_retention' }],
    });
    const { '1y': year } = await here.get(`station/${id}-history.json`, NOW);
    const kept = ['2026-07', '2026-09', '2026-10', '2026-11'];
    expect(year.map(({ timestamp }: Body) => timestamp.slice(0, 7))).toEqual(kept);
  });
});
