/** Providers are polled four at once, and a failure of one does not affect the others. */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { makePullCounter } from '../../../src/extras/feeds/pullCounter.ts';
import { makePull, pullJob } from '../../../src/extras/feeds/pullDue.ts';
import { pullStatus } from '../../../src/extras/feeds/pullStatus.ts';
import { listQuarantine } from '../../../src/ingest/quarantine/list.ts';
import { retryQuarantined } from '../../../src/ingest/quarantine/retry.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { providerArrivals } from '../../../src/ingest/store/arrivals.ts';
import { makeMetrics } from '../../../src/metrics/definitions.ts';
import { differences } from '../../aggregate/differences.ts';
import { reading, stored } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { lockWaits } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { until } from '../../support/patience.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { openProvider, type Provider } from './server.ts';

const RECORDED: Element[] = JSON.parse(
  readFileSync(new URL('./data.json', import.meta.url), 'utf8'),
);
type Element = { id?: unknown; timestamp?: unknown; sensor?: unknown; sensordatavalues?: unknown };

const DAY_MS = 86_400_000;

let lastId = 0;
const nextId = () => {
  lastId += 1;
  return lastId;
};
const element = (
  sensor: number,
  minutesAgo: number,
  values: Record<string, string> = { P2: '10' },
): Element => ({
  id: nextId(),
  timestamp: new Date(NOW.getTime() - minutesAgo * 60_000)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' '),
  sensor: { id: sensor },
  sensordatavalues: Object.entries(values).map(([value_type, value]) => ({ value_type, value })),
});

it('the job looks every minute for providers that are due', () => {
  const { schedule } = pullJob('postgres://127.0.0.1:1/unused', () => NOW, {
    formats: READING_FORMATS,
    hosts: [],
    log: keepingLog(),
  });
  expect(schedule).toBe('* * * * *');
});

onOneEngine('pull', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let us: Provider;
  let them: Provider;
  let now = NOW;
  let log = keepingLog();
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    [us, them] = await Promise.all([openProvider(), openProvider()]);
  });
  beforeEach(async () => {
    now = NOW;
    log = keepingLog();
    await owner`truncate raw.readings, raw.quarantine, raw.pull`;
    // an import keeps stations and providers that it doesn't name
    await owner`delete from raw.station where id > 2`;
    await owner`delete from raw.provider where id not in ('us', 'them')`;
    await bring();
    us.requests.length = 0;
    us.serve(RECORDED);
    them.requests.length = 0;
    them.serve([]);
  });
  afterAll(async () => {
    await Promise.all([us.close(), them.close()]);
    await db.drop();
  });

  const bring = (
    usPull: object | null = { kind: 'sensor-community', url: us.url() },
    theirPull: object | null = null,
    network = smallNetwork(),
  ) =>
    bringIn(owner, {
      ...network,
      providers: [
        { id: 'us', title: 'Us', pull: usPull },
        { id: 'them', title: 'Them', pull: theirPull },
      ],
    });
  const THEIRS = smallNetwork({ two: { provider: 'them' } });
  const theirPull = () => ({ kind: 'sensor-community', url: them.url(), every: '20 minutes' });
  const minute = () => new Date(Math.floor(now.getTime() / 60_000) * 60_000);
  const job = (hosts = [us.host, them.host], limits = { timeMs: 10_000, bytes: 1_000_000 }) => {
    const pull = makePull(db.target, () => now, { formats: READING_FORMATS, hosts, log, limits });
    return { run: () => pull(minute()) };
  };
  const run = (hosts?: string[]) => job(hosts).run();
  const after = (minutes: number, seconds = 0) => {
    now = new Date(NOW.getTime() + minutes * 60_000 + seconds * 1_000);
  };
  const states = () => owner`select * from raw.pull order by provider_id`;
  const quarantine = () =>
    owner`select source, provider_id, kind, reason, text from raw.quarantine order by kind, reason, text`;
  const logged = (level: string) =>
    log.lines.filter((line) => line.level === level).map(({ fields }) => fields);

  it('a poll replaces only the values that its document has, and keeps the values of a file (S3)', async () => {
    const minutes = Array.from({ length: 6_000 }, (_, minute) => minute / 10);
    const rows = (of: (minute: number) => Record<string, string>) =>
      minutes.map((minute) => element(1, minute, of(minute)));
    const poll = () => job(undefined, { timeMs: 10_000, bytes: 10_000_000 }).run();
    us.serve(rows(() => ({ P2: '10', P1: '20' })));
    await poll();
    const theirs = minutes.map((minute) => ({
      sensorId: 1,
      measuredAt: new Date(NOW.getTime() - minute * 60_000).toISOString().replace(/\.\d+/, '.000'),
      values: { humidity: 50 },
      text: '',
    }));
    await acceptReadings(db.as('airseries_ingest'), theirs, { now: NOW, source: 'file' });
    // two elements have the same time, more than a batch apart: only the first has PM2.5
    us.serve([
      ...rows(() => ({ P2: '11' })),
      ...rows((minute) => ({ P2: '', P1: minute < 1 ? '' : '20' })),
    ]);
    after(6);
    await poll();
    const values = await owner`
      select pm25, pm10, humidity, count(*)::int as n from raw.readings group by 1, 2, 3 order by n`;
    const count = (await owner`select from raw.readings`).length;
    expect(values).toEqual([
      { pm25: 11, pm10: null, humidity: 50, n: 10 },
      { pm25: 11, pm10: 20, humidity: 50, n: count - 10 },
    ]);
    expect(logged('info').at(-1)).toMatchObject({
      replaced: { values: count + 10, newest: '2026-11-20T12:00:00Z' },
    });
  });

  it('a document is read as the network file declares: zone, shift, round, only, column and unit (S3, S7)', async () => {
    const row = (hour: string, value: number, verdict: string) =>
      `1;2026-11-20 ${hour}:59:59;${value};${verdict}\n`;
    us.answer((_request, response) =>
      response.end(`nr;end;feinstaub;valid\n${row('11', 0.01, '1')}${row('12', 0.02, '0')}`),
    );
    const declared = {
      kind: 'airseries',
      url: us.url(),
      zone: '+01:00',
      shift: '-1h',
      round: 'minute',
      only: 'valid=1',
      column: ['sensor_id=nr', 'time=end', 'pm25=feinstaub'],
      unit: ['pm25=mg/m3'],
    };
    await bring(declared);
    await run();
    expect(await stored(owner)).toMatchObject([
      { sensor_id: 1, measured_at: '2026-11-20T14:00:00+04:00', pm25: 10 },
    ]);
    expect(logged('warn')).toEqual([]);
    // a verdict that is not used is logged once
    await bring({ ...declared, only: undefined });
    const { run: again } = job();
    for (const minutes of [5, 10]) {
      after(minutes);
      await again();
    }
    expect(logged('warn')).toEqual([
      { provider: 'us', hints: [expect.stringContaining('seems to stand in valid')] },
    ]);
  });

  it('times without an offset are read by the zone rules of the database (Z5)', async () => {
    await db.refresh(NOW);
    await owner`update raw.zone_offset set utc_offset = '03:00' where until > ${NOW}`;
    us.answer((_request, response) => response.end('sensor_id;time;pm25\n1;2026-11-19 12:00;5\n'));
    for (const [zone, hour] of [
      ['Asia/Yerevan', '13'],
      ['Europe/Berlin', '15'],
    ] as const) {
      await owner`truncate raw.readings, raw.pull`;
      await bring({ kind: 'airseries', url: us.url(), zone });
      await run();
      expect(await stored(owner)).toMatchObject([
        { measured_at: `2026-11-19T${hour}:00:00+04:00` },
      ]);
    }
    await owner`delete from raw.zone_offset`;
  });

  it.each([
    [{ zone: 'MEZ' }, 'there is no time zone "MEZ"'],
    [{ shift: 'an hour' }, 'For stamps that name the end of an hour, write "shift": "-1h"'],
    [{ round: 'hour' }, 'write "round": "minute"'],
    [{ only: 'Validity' }, 'An example: "only": "Validity=1,2,3"'],
    [{ unit: ['pm25=f'] }, 'pm25 has no unit "f"'],
  ])('a network file with %o is refused with the reason', async (wrong, message) => {
    const pull = { kind: 'airseries', url: us.url(), ...wrong };
    await expect(bring(pull)).rejects.toThrow(message);
  });

  it('a poll stores the readings of the provider’s own sensors, and logs their counts', async () => {
    await run();
    expect(await stored(owner)).toMatchObject([
      { sensor_id: 1, measured_at: '2026-11-20T15:58:02+04:00', pm1: 8.1, pm25: 14.2, pm10: 21.9 },
      { sensor_id: 2, temperature: 7.35, humidity: null, pressure: 90312.47 },
    ]);
    expect(await quarantine()).toMatchObject([
      { source: 'us', provider_id: 'us', kind: 'value', reason: 'unreadable:humidity' },
    ]);
    const counts = { received: 4, accepted: 2, unchanged: 1, quarantined: 0, ignored: 1 };
    expect(log.lines).toEqual([
      { level: 'info', message: 'readings pulled', fields: { provider: 'us', ...counts } },
    ]);
    expect(await states()).toEqual([
      {
        provider_id: 'us',
        started_at: '2026-11-20T16:00:00+04:00',
        succeeded_at: '2026-11-20T16:00:00+04:00',
        failures: 0,
        error: null,
        retry_at: null,
      },
    ]);
    expect(await differences(db)).toEqual([]);
  });

  it('polls are counted by provider and outcome', async () => {
    await bring(undefined, theirPull(), THEIRS);
    us.serve('no document');
    them.serve([element(3, 1)]);
    const metrics = makeMetrics();
    const pulls = makePullCounter(metrics);
    const hosts = [us.host, them.host];
    await makePull(db.target, () => now, { formats: READING_FORMATS, hosts, log, metrics, pulls })(
      minute(),
    );
    const text = await metrics.registry.metrics();
    expect(text).toContain('airseries_pulls_total{provider="us",outcome="failure"} 1');
    expect(text).toContain('airseries_pulls_total{provider="them",outcome="success"} 1');
  });

  it('the same document changes nothing when it comes again', async () => {
    await run();
    const before = [await stored(owner), await quarantine()];
    after(5);
    await run();
    expect([await stored(owner), await quarantine()]).toEqual(before);
    expect(us.requests).toHaveLength(2);
    expect(logged('info')).toHaveLength(1);
    expect(logged('debug')).toEqual([
      { provider: 'us', received: 4, accepted: 0, unchanged: 3, quarantined: 0, ignored: 1 },
    ]);
  });

  it('each provider is polled at its own interval, and not earlier', async () => {
    await bring(undefined, theirPull());
    const counts = [];
    for (const [minutes, seconds] of [
      [0, 59],
      [4, 59],
      [5, 0],
      [9, 59],
      [19, 59],
      [20, 0],
    ] as const) {
      after(minutes, seconds);
      await run();
      counts.push([us.requests.length, them.requests.length]);
    }
    expect(counts).toEqual([
      [1, 1],
      [1, 1],
      [2, 1],
      [2, 1],
      [3, 1],
      [3, 2],
    ]);
    expect((await states()).map(({ started_at }) => started_at)).toEqual([
      '2026-11-20T16:20:00+04:00',
      '2026-11-20T16:19:00+04:00',
    ]);
  });

  it('two workers poll a provider once, and what one reads again after the other was cut off is stored once', async () => {
    us.serve([element(1, 1)]);
    const superuser = db.superuser();
    const end = await openTransaction(superuser, 'lock table raw.readings in share mode');
    const first = run();
    await until(
      async () => (await lockWaits(superuser, {})).length > 0,
      'its readings wait in the server',
    );
    await run(); // in the same minute
    expect(us.requests).toHaveLength(1);
    after(5); // it is cut off, as far as others know
    const second = run();
    await until(async () => us.requests.length === 2, 'another polls');
    await end('rollback');
    await Promise.all([first, second]);
    expect(await stored(owner)).toHaveLength(1);
    expect(await states()).toMatchObject([{ failures: 0 }]);
  });

  it('a provider is polled again after a clock that was ahead is corrected', async () => {
    after(500_000);
    await run();
    after(0);
    await run();
    expect(us.requests).toHaveLength(2);
  });

  it('a sensor that is days behind the others of its provider is read (S4)', async () => {
    const [day, hour] = [1_440, 60];
    us.serve([element(1, 2), element(2, 6 * day)]);
    await run();
    us.serve([element(1, 1), element(2, 6 * day - hour), element(2, 6 * day - 2 * hour)]);
    after(5);
    await run();
    expect(await stored(owner)).toHaveLength(5);
    expect(logged('info').at(-1)).toMatchObject({ accepted: 3, quarantined: 0, ignored: 0 });
    expect(await differences(db)).toEqual([]);
  });

  it('a reading older than a day before its sensor’s newest is quarantined, unless it is stored already (S2)', async () => {
    const repeated = element(1, 30_000);
    us.serve([element(1, 2), element(2, 1_443), repeated]);
    await run();
    expect(await stored(owner)).toHaveLength(3); // a sensor without readings takes any
    us.serve([
      repeated,
      element(1, 1_442),
      element(1, 1_443),
      element(2, 1_444),
      element(3, 20_000),
      { ...element(3, 0), timestamp: 'then' },
    ]);
    after(5);
    await run();
    const counts = { received: 6, accepted: 3, unchanged: 0, quarantined: 2, ignored: 1 };
    expect(logged('info').at(-1)).toEqual({ provider: 'us', ...counts });
    const [unreadable, outdated, ...more] = (await listQuarantine(owner, {}, 10, READING_FORMATS))
      .lines;
    expect(outdated).toMatchObject({
      reason: 'outdated',
      text: expect.stringContaining('2026-11-19 11:57:00'),
      explanation: expect.stringMatching(/^the feed lists it .* quarantine retry stores it$/),
    });
    expect([unreadable?.reason, more]).toEqual(['unreadable_time', []]);
    after(10);
    await run();
    expect(await quarantine()).toHaveLength(2);
    expect(await providerArrivals(owner, NOW)).toMatchObject([{ id: 'them' }, { quarantined: 2 }]);
    const options = { formats: READING_FORMATS, reason: 'outdated', now, log, terminal: false };
    expect(await retryQuarantined(owner, options)).toMatchObject({ retried: 1, accepted: 1 });
    after(15);
    await run();
    expect(logged('debug').at(-1)).toMatchObject({ quarantined: 1, ignored: 2 });
  });

  it('a reading older than the retention is ignored once its sensor has a newer one', async () => {
    us.serve([element(1, 2)]);
    await run();
    await owner`update raw.installation set ingest_cutoff = ${new Date(NOW.getTime() - 40 * DAY_MS)}`;
    us.serve([element(1, 1), element(1, 41 * 1_440)]);
    after(5);
    await run();
    await owner`update raw.installation set ingest_cutoff = '-infinity'`;
    expect(logged('info').at(-1)).toMatchObject({ accepted: 1, quarantined: 0, ignored: 1 });
  });

  it('unusable readings of our sensors are quarantined, and other sensors’ are ignored', async () => {
    const strangers = [null, 5, {}, { sensor: { id: 99 } }];
    const ours = { id: 1, sensor: { id: 1 }, sensordatavalues: 'none' };
    us.serve([...strangers, ours, element(1, -10), element(2, 1, { temperature: 'unavailable' })]);
    await run();
    expect(await stored(owner)).toEqual([]);
    expect((await quarantine()).map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
      'reading in_the_future',
      'reading no_value',
      'reading unreadable_line',
      'value unreadable:temperature',
    ]);
    expect((await quarantine())[2]).toMatchObject({
      provider_id: 'us',
      text: JSON.stringify(ours),
    });
    expect(logged('debug')).toMatchObject([
      { received: 7, accepted: 0, unchanged: 0, quarantined: 3, ignored: 4 },
    ]);
  });

  /** Twenty rows, an hour apart. */
  const hours = (row: (hour: number) => object) =>
    Array.from({ length: 20 }, (_, hour) => ({
      sensor_id: 1,
      time: new Date(NOW.getTime() - (hour + 1) * 3_600_000).toISOString(),
      ...row(hour),
    }));
  it.each<[what: string, document: readonly object[], error: string]>([
    [
      'a verdict that is not used (S7)',
      hours((hour) => ({ pm25: 5, valid: hour % 2 })),
      'which rows count seems to stand in valid (0, 1), and is not used; nothing of it was stored. Write "only": "valid=0"',
    ],
    [
      'another scale (S8)',
      hours(() => ({ pm25: 0.02 })),
      'column pm25 looks like mg/m³, for example 0.02; nothing of it was stored. Add "unit": "pm25=mg/m3" if it is',
    ],
    [
      'two hosts (S9)',
      hours((hour) => ({ pm25: 5, host: hour % 2 ? 'cellar' : 'roof' })),
      'column host (roof, cellar) tells rows of 1 apart, and is not used; nothing of it was stored. Write "column": "device=host"',
    ],
  ])('a document stops where a file stops, at %s', async (_, document, error) => {
    await bring({ kind: 'airseries', url: us.url() });
    us.serve(document);
    await run();
    expect(await states()).toMatchObject([
      { failures: 1, error: expect.stringContaining(`provider us, ${us.url()}: ${error}`) },
    ]);
    expect(await stored(owner)).toEqual([]);
  });

  it('temperatures 20 above the hours of its own station are a failure of a document (S8)', async () => {
    const known = Array.from({ length: 48 }, (_value, hour) =>
      reading(1, new Date(NOW.getTime() - hour * 3_600_000 - 60_000).toISOString(), {
        temperature: 4,
      }),
    );
    await acceptReadings(db.as('airseries_ingest'), known, { now: NOW, source: 'test' });
    await db.refresh(NOW);
    await bring({ kind: 'airseries', url: us.url() });
    us.serve(hours((hour) => ({ temperature: 38 + (hour % 3) })));
    await run();
    expect(await states()).toMatchObject([
      {
        failures: 1,
        error: expect.stringContaining(
          'column temperature looks like °F: its median is 39, and the hours of its own station have 4',
        ),
      },
    ]);
    expect(await stored(owner)).toHaveLength(known.length);
  });

  const time = '2026-11-20T11:00:00Z';
  it.each<[what: string, pull: object, document: unknown, error: string]>([
    [
      'several current values of PurpleAir without their time',
      { kind: 'purpleair' },
      {
        api_version: 'V1',
        data_time_stamp: 1,
        fields: ['sensor_index', 'pm2.5_atm'],
        data: [
          [1, 5],
          [2, 6],
        ],
      },
      'it holds 2 readings, none of a sensor of this provider: it does not say when it was measured: add last_seen to the fields in its address. Correct',
    ],
    [
      'the current values of one sensor of PurpleAir without their time',
      { kind: 'purpleair' },
      { api_version: 'V1', data_time_stamp: 1, sensor: { sensor_index: 1, 'pm2.5_atm': 5 } },
      'this is not in the layout of purpleair (the document: it does not say when it was measured: add last_seen',
    ],
    ['no row', {}, [], 'it holds no reading. Open the address yourself: it may ask'],
    [
      'readings of other sensors',
      {},
      [element(98, 1), element(99, 1), element(99, 2)],
      'it holds 3 readings, none of a sensor of this provider: sensors 98, 99. Its sensors in the network file are 1, 2, 3. Write there what the feed calls them ("id", or "device")',
    ],
    [
      'a reading of an unknown device',
      { kind: 'airgradient' },
      { serialno: 'a1', pm02: 7 },
      'it holds 1 reading, none of a sensor of this provider: device a1. Its sensors',
    ],
    [
      'readings that name neither',
      { kind: 'airseries' },
      [
        { time, pm25: 5 },
        { time, pm25: 6 },
      ],
      'it holds 2 readings, none of a sensor of this provider, because they name no sensor and no device. Add "sensor": 1 to "pull"',
    ],
    [
      'readings of another kind',
      { kind: 'thingspeak' },
      [
        { nr: 1, staub: 5 },
        { nr: 1, staub: 6 },
      ],
      'it holds 2 readings, none of a sensor of this provider: they name no sensor, no device and no known parameter; found nr, staub. Correct the address (pull.url) or the kind',
    ],
    [
      'readings without a known parameter',
      { kind: 'airseries' },
      [{ sensor_id: 1, time, staub: 5, ['lärm'.repeat(1_000)]: 60, a: 1, b: 2, c: 3, d: 4 }],
      'it holds 1 reading of its sensors, without a known parameter; found staub, lärmlärmlärmlärmlärmlärmlärmlärmlärmlärm, a, b, c. Say which is which with "column", as in "column": "pm25=NAME"',
    ],
    [
      'only rows that "only" leaves out',
      { kind: 'airseries', only: 'valid=1' },
      'sensor_id,time,pm25,valid\n1,2026-11-20T11:00:00Z,5,0\n',
      '"only" leaves out all of its rows (1). Correct it in the network file.',
    ],
  ])('a document with %s is a failure that names the remedy', async (_, pull, document, error) => {
    await bring({ kind: 'sensor-community', url: us.url(), ...pull });
    us.serve(document);
    await run();
    expect(await states()).toMatchObject([
      {
        failures: 1,
        succeeded_at: null,
        error: expect.stringContaining(`provider us, ${us.url()}: ${error}`),
      },
    ]);
    expect(await stored(owner)).toEqual([]);
  });

  it('readings of a device that the network does not know yet wait in quarantine, although their document is a failure (S2)', async () => {
    await bring({ kind: 'airgradient', url: us.url() });
    us.serve({ serialno: 'a1', pm02: 7 });
    await run();
    expect(await states()).toMatchObject([{ failures: 1 }]);
    expect(await quarantine()).toMatchObject([{ provider_id: 'us', reason: 'unknown_sensor' }]);
    await owner`update raw.sensor set device = 'a1' where id = 1`;
    const options = { formats: READING_FORMATS, now, log, terminal: false };
    expect(await retryQuarantined(owner, options)).toMatchObject({ accepted: 1 });
  });

  it('a document whose readings of our sensors are all unusable is no failure: they are in quarantine', async () => {
    us.serve([element(1, -10), { id: 1, sensor: { id: 1 }, sensordatavalues: 'none' }]);
    await run();
    expect(await states()).toMatchObject([
      {
        failures: 0,
        error:
          'it answers, but none of its readings could be stored yet: "quarantine list" says why',
      },
    ]);
    expect(await quarantine()).toMatchObject([
      { reason: 'in_the_future' },
      { reason: 'unreadable_line' },
    ]);
    us.serve([{ id: 1, sensor: { id: 1 }, sensordatavalues: 'none' }]);
    after(5);
    await run();
    expect(await states()).toMatchObject([{ failures: 0 }]);
  });

  it('a feed keeps its interval while its documents have no reading of ours', async () => {
    us.serve([element(99, 1)]);
    for (const minutes of [0, 5, 10, 15]) {
      after(minutes);
      await run();
    }
    expect(us.requests).toHaveLength(4);
    expect(await states()).toMatchObject([{ failures: 4, retry_at: null }]);
  });

  it.each<[every: string, staleAfter: string, minutes: number]>([
    ['5 minutes', '3 hours', 180],
    ['5 minutes', '10 minutes', 60],
    ['1 hour', '3 hours', 720],
  ])(
    'a feed polled every %s, whose numbers count for %s, is quiet once it has had nothing new for more than %i minutes',
    async (every, staleAfter, minutes) => {
      await bring({ kind: 'sensor-community', url: us.url(), every });
      await owner`update raw.provider set stale_after = ${staleAfter}::interval where id = 'us'`;
      const metrics = makeMetrics();
      const pulls = makePullCounter(metrics);
      const hosts = [us.host];
      const pull = makePull(db.target, () => now, {
        formats: READING_FORMATS,
        hosts,
        log,
        metrics,
        pulls,
      });
      const error = async (at: number) => {
        after(at);
        await pull(minute());
        return (await states())[0]?.error;
      };
      us.serve([element(1, 0)]);
      expect([await error(0), await error(minutes)]).toEqual([null, null]);
      // readings that are pushed or imported say nothing about the feed
      await owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${now}, 2, 5)`;
      const quiet =
        'it answers, but has had nothing new since 2026-11-20T12:00:00Z. Open the address yourself, and ask the provider';
      const hour = minutes + 60;
      expect([await error(hour), await error(hour + 60)]).toEqual([quiet, quiet]);
      expect(logged('warn')).toEqual([{ provider: 'us', error: quiet }]);
      us.serve([element(1, -hour - 119)]);
      expect(await error(hour + 120)).toBe(null);
      expect(await states()).toMatchObject([{ failures: 0, retry_at: null }]);
      const text = await metrics.registry.metrics();
      expect(text).toContain('airseries_pulls_total{provider="us",outcome="quiet"} 2');
      expect(text).toContain('airseries_pulls_total{provider="us",outcome="success"} 3');
    },
  );

  it('a quiet feed is logged again after it was well in between', async () => {
    const running = job();
    us.serve([element(1, 200)]);
    await running.run();
    us.serve([element(1, 0)]);
    after(5);
    await running.run();
    after(200);
    await running.run();
    expect(logged('warn')).toMatchObject([
      { error: expect.stringContaining('T08:40:00Z') },
      { error: expect.stringContaining('T12:00:00Z') },
    ]);
  });

  it('a feed that lists nothing of the last day is quiet, although newer readings are pushed', async () => {
    us.serve([element(1, 2_880)]);
    await run();
    await owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${NOW}, 1, 5)`;
    after(5);
    await run();
    expect(await states()).toMatchObject([
      { error: expect.stringContaining('nothing new since 2026-11-18T12:00:00Z') },
    ]);
  });

  it('the status shows a quiet feed with its reason', async () => {
    us.serve([element(1, 200)]);
    await run();
    const [[id, pull] = []] = await pullStatus.read(owner);
    expect(pullStatus.columns(now).map(([, cell]) => cell({ id, ...pull }))).toEqual([
      'us',
      '5 minutes',
      '0 s ago',
      null,
    ]);
    expect(pullStatus.remark({ ...pull })).toMatch(/^it answers, but has had nothing new since/);
  });

  it('readings of a sensor from before it moved to another provider are stored', async () => {
    const network = smallNetwork({
      two: {
        provider: 'them',
        sensors: [
          {
            id: 3,
            stations: [
              { id: 1, until: '2026-11-20T11:30Z' },
              { id: 2, since: '2026-11-20T11:30Z' },
            ],
          },
        ],
      },
    });
    const providers = [
      { id: 'us', title: 'Us', pull: { kind: 'sensor-community', url: us.url() } },
      { id: 'them', title: 'Them' },
    ];
    await bringIn(owner, { ...network, providers });
    us.serve([
      element(3, 1),
      element(1, 1),
      element(3, 31),
      { ...element(2, 0), timestamp: 'then' },
      element(3, 5),
    ]);
    await run();
    expect((await stored(owner)).map(({ sensor_id }) => sensor_id)).toEqual([1, 3]);
    expect(logged('info')).toMatchObject([
      { received: 5, accepted: 2, quarantined: 1, ignored: 2 },
    ]);
    expect(await differences(db)).toEqual([]);
    // its newest reading at the other provider does not count for this one
    const late = { ...element(1, 0), timestamp: '2026-11-17 10:00:00' };
    await owner`delete from raw.readings`;
    await owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${NOW}, 3, 5)`;
    us.serve([late]);
    after(10);
    await run();
    expect(logged('info').at(-1)).toMatchObject({ accepted: 1, ignored: 0 });
    // what it measures there does not make this feed look alive
    us.serve([element(3, 1), element(1, 240)]);
    after(15);
    await run();
    expect(await states()).toMatchObject([
      { error: expect.stringContaining('nothing new since 2026-11-20T08:00:00Z') },
    ]);
  });

  it('a document larger than a batch is stored whole', async () => {
    us.serve(Array.from({ length: 6_000 }, (_, n) => element(1, n / 10)));
    await run();
    expect(logged('info')).toMatchObject([{ received: 6_000, accepted: 6_000 }]);
    expect(await differences(db)).toEqual([]);
  });

  it('a fault of the database does not count against the provider, and keeps no other feed from being polled', async () => {
    await bring(undefined, theirPull(), THEIRS);
    us.serve([element(1, 0)]);
    them.serve([element(3, 0)]);
    await owner`alter table raw.readings add constraint broken check (sensor_id <> 1) not valid`;
    await expect(run()).rejects.toThrow('broken');
    expect(await states()).toMatchObject([
      { provider_id: 'them', failures: 0, error: null, succeeded_at: expect.anything() },
      { provider_id: 'us', failures: 0, error: null, succeeded_at: null },
    ]);
    await owner`alter table raw.readings drop constraint broken`;
    after(5);
    await run();
    expect((await stored(owner)).map(({ sensor_id }) => sensor_id)).toEqual([1, 3]);
    expect(logged('warn')).toEqual([]);
  });

  it('failures in a row are counted, the first and every tenth is logged, and a success resets the count', async () => {
    us.answer((_request, response) => response.writeHead(502).end());
    const running = job();
    for (let n = 0; n < 21; n += 1) {
      after(n * 15);
      await running.run();
    }
    expect(logged('warn')).toMatchObject([{ failures: 1 }, { failures: 10 }, { failures: 20 }]);
    expect(logged('warn')[0]).toMatchObject({
      provider: 'us',
      error: expect.stringContaining('it answered 502'),
    });
    expect(await states()).toMatchObject([
      {
        failures: 21,
        succeeded_at: null,
        error: expect.stringContaining(`provider us, ${us.url()}: it answered 502`),
      },
    ]);
    us.serve([element(1, -315)]);
    after(315);
    await running.run();
    expect(await states()).toMatchObject([
      {
        failures: 0,
        error: null,
        started_at: '2026-11-20T21:15:00+04:00',
        succeeded_at: '2026-11-20T21:15:00+04:00',
      },
    ]);
    us.serve('no array');
    after(320);
    await running.run();
    expect(logged('warn')).toHaveLength(4);
    expect(await states()).toMatchObject([
      {
        failures: 1,
        succeeded_at: '2026-11-20T21:15:00+04:00',
        error: expect.stringContaining('not in the layout of sensor-community'),
      },
    ]);
  });

  it('a silent provider does not keep others from being polled', async () => {
    await bring(undefined, theirPull());
    them.answer(() => undefined);
    us.serve([element(1, 1)]);
    await job([us.host, them.host], { timeMs: 100, bytes: 2_000 }).run();
    expect(await states()).toMatchObject([
      {
        provider_id: 'them',
        failures: 1,
        error: expect.stringContaining('did not arrive within 0.1 s'),
      },
      { provider_id: 'us', failures: 0, error: null },
    ]);
    expect(us.requests).toHaveLength(1);
    expect(await stored(owner)).toHaveLength(1);
  });

  /** The network with these feeds beside the feed of `us`, all polled every minute. */
  const bringBeside = (feeds: Record<string, Provider>) => {
    const each = Object.entries({ us, ...feeds });
    const providers = each.map(([id, { url }]) => ({
      id,
      title: id,
      pull: { kind: 'sensor-community', url: url(`/${id}`), every: '1 minute' },
    }));
    const network = smallNetwork();
    const stations = Object.keys(feeds).map((provider, n) => ({
      ...network.stations[1],
      id: 11 + n,
      provider,
      sensors: [{ id: 11 + n }],
    }));
    return bringIn(owner, {
      ...network,
      providers: [...providers, { id: 'them', title: 'Them' }],
      stations: [...network.stations, ...stations],
    });
  };
  const HANGING = ['a', 'b', 'c', 'd'];
  const theirElements = (minutesAgo: number) => HANGING.map((_, n) => element(11 + n, minutesAgo));

  it('four providers are polled at once', async () => {
    await bringBeside(Object.fromEntries(HANGING.map((id) => [id, them])));
    const waiting: ServerResponse[] = [];
    let most = 0;
    them.answer((_request, response) => {
      waiting.push(response);
      most = Math.max(most, waiting.length);
      // if they came one after the other, no poll would be answered
      const document = JSON.stringify(theirElements(1));
      if (waiting.length === 4) for (const each of waiting.splice(0)) each.end(document);
    });
    await job([us.host, them.host], { timeMs: 2_000, bytes: 1_000_000 }).run();
    expect(await states()).toMatchObject(
      [...HANGING, 'us'].map((provider_id) => ({ provider_id, failures: 0 })),
    );
    expect(most).toBe(4);
  });

  it('a healthy feed is polled every minute beside four that hang, which are polled less and less often', async () => {
    await bringBeside(Object.fromEntries(HANGING.map((id) => [id, them])));
    const hanging: ServerResponse[] = [];
    them.answer((_request, response) => void hanging.push(response));
    const within = (timeMs: number) => job([us.host, them.host], { timeMs, bytes: 1_000_000 });
    const [patient, hasty] = [within(60_000), within(300)];
    const polled: number[] = [];
    for (let minute = 0; minute <= 47; minute += 1) {
      after(minute);
      us.serve([element(1, -minute)]);
      const before = them.requests.length;
      const run = (minute === 1 ? patient : hasty).run();
      if (minute === 1) {
        await expect.poll(() => stored(owner)).toHaveLength(2); // while the four hang
        expect(await states()).toMatchObject([
          ...HANGING.map(() => ({ failures: 1 })),
          { failures: 0 },
        ]);
        await expect.poll(() => hanging.length).toBe(2 * HANGING.length);
        for (const response of hanging) response.destroy();
      }
      await run;
      if (them.requests.length > before) polled.push(minute);
    }
    expect(us.requests).toHaveLength(48);
    expect(await stored(owner)).toHaveLength(48);
    expect(polled).toEqual([0, 1, 3, 7, 15, 30, 45]);
    expect(them.requests).toHaveLength(4 * polled.length);
    them.serve(theirElements(-60));
    after(60);
    await job([us.host, them.host]).run(); // another process
    expect(await states()).toMatchObject(
      [...HANGING, 'us'].map(() => ({ failures: 0, retry_at: null })),
    );
  });

  it.each([
    ['600', '2026-11-20T16:10:00+04:00'],
    ['Fri, 20 Nov 2026 12:20:00 GMT', '2026-11-20T16:20:00+04:00'],
    ['31536000', '2026-11-20T16:30:00+04:00'],
    ['0', '2026-11-20T16:05:00+04:00'],
    ['soon', '2026-11-20T16:05:00+04:00'],
  ])('a provider is not polled before its Retry-After: %s', async (header, retry_at) => {
    us.answer((_request, response) => response.writeHead(429, { 'retry-after': header }).end());
    const running = job();
    await running.run();
    expect(await states()).toMatchObject([{ failures: 1, retry_at }]);
    const minutes = (Date.parse(retry_at) - NOW.getTime()) / 60_000;
    for (const [minute, requests] of [
      [minutes - 1, 1],
      [minutes, 2],
    ] as const) {
      after(minute);
      await running.run();
      expect(us.requests).toHaveLength(requests);
    }
  });

  it('a host outside PULL_HOSTS is not polled, which is logged once and shown in the status until it is added', async () => {
    await bring(undefined, theirPull(), THEIRS);
    const running = job([us.host]);
    await running.run();
    after(30);
    await running.run();
    expect(them.requests).toEqual([]);
    expect(us.requests).toHaveLength(2);
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(/not in PULL_HOSTS\. Add it there/),
        fields: { provider: 'them', url: them.url() },
      },
    ]);
    const pulls = async () => [...(await pullStatus.read(owner))];
    expect(await pulls()).toMatchObject([
      [
        'them',
        {
          started_at: null,
          failures: 1,
          error: expect.stringContaining('its host is not in PULL_HOSTS. Add it'),
        },
      ],
      ['us', { failures: 0, error: null }],
    ]);
    them.serve([element(3, 1)]);
    await job([us.host, them.host]).run();
    expect(them.requests).toHaveLength(1);
    expect(await pulls()).toMatchObject([
      ['them', { failures: 0, error: null }],
      ['us', {}],
    ]);
  });

  it.each<[kind: string, document: object | string, row: object]>([
    [
      'airgradient',
      { wifi: -46, serialno: 'ecda3b1eaaaf', pm01: 3, pm02: 7, pm10: 8, atmp: 25.5, rhum: 43 },
      { pm25_raw: 7, temperature: 25.5, measured_at: '2026-11-20T16:00:00+04:00' },
    ],
    [
      'openaq',
      {
        meta: { found: 1 },
        results: [
          {
            value: 19.125,
            parameter: { id: 7, name: 'no2', units: 'µg/m³' },
            period: {
              datetimeFrom: { utc: '2026-11-20T10:00:00Z' },
              datetimeTo: { utc: '2026-11-20T11:00:00Z' },
            },
          },
        ],
      },
      { no2: 10, measured_at: '2026-11-20T14:00:00+04:00' },
    ],
    [
      'airseries',
      'time,temperature_f\n2026-11-20T10:00:00Z,50\n',
      { temperature: 10, measured_at: '2026-11-20T14:00:00+04:00' },
    ],
  ])('a feed may be of kind %s', async (kind, document, row) => {
    await bring({ kind, url: us.url(), ...(kind !== 'airgradient' && { sensor: 1 }) });
    await owner`update raw.sensor set device = 'ecda3b1eaaaf' where id = 1`;
    us.serve(document);
    await run();
    expect(await states()).toMatchObject([{ failures: 0, error: null }]);
    expect(await stored(owner)).toMatchObject([{ sensor_id: 1, ...row }]);
  });

  it('a feed of an unknown kind fails without a request', async () => {
    await owner`update raw.provider set pull = pull || '{"kind": "toString"}' where id = 'us'`;
    await run();
    expect(await states()).toMatchObject([
      { failures: 1, error: expect.stringContaining('knows no kind toString') },
    ]);
    expect(us.requests).toEqual([]);
  });
});
