/** Providers are polled four at once, and a failure of one does not affect the others. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makePullCounter, type PullCounter } from '../../../src/extras/feeds/pullCounter.ts';
import { makePull, pullJob } from '../../../src/extras/feeds/pullDue.ts';
import { pullStatus } from '../../../src/extras/feeds/pullStatus.ts';
import { listQuarantine } from '../../../src/ingest/quarantine/list.ts';
import { providerArrivals } from '../../../src/ingest/store/arrivals.ts';
import { type Metrics, makeMetrics } from '../../../src/metrics/definitions.ts';
import { differences } from '../../aggregate/differences.ts';
import { reading, retry, stored, useTown } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import { commandsOn } from '../../support/command.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { freePort } from '../../support/freePort.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { untilWaiting } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { until } from '../../support/patience.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { openProvider, type Provider } from './server.ts';

const DAY_MS = 86_400_000;

let lastId = 0;
const nextId = () => {
  lastId += 1;
  return lastId;
};
const element = (sensor: number, minutesAgo: number, values: object = { P2: '10' }) => ({
  id: nextId(),
  timestamp: new Date(NOW.getTime() - minutesAgo * 60_000)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' '),
  sensor: { id: sensor },
  sensordatavalues: Object.entries(values).map(([value_type, value]) => ({ value_type, value })),
});

const OWN = element(1, 2, { P1: '21.90', P2: '14.20', P0: '8.1' });
/** The second of them is ours, too; the others are of a stranger, the first again, and from indoors. */
const RECORDED = [
  OWN,
  element(2, 2, { temperature: '7.35', pressure: '90312.47', humidity: 'unknown' }),
  element(70_001, 2),
  OWN,
  { ...element(3, 1), location: { indoor: 1 } },
];

it('the job looks every minute for providers that are due', () => {
  const { schedule } = pullJob('postgres://127.0.0.1:1/unused', () => NOW, {
    formats: READING_FORMATS,
    hosts: [],
    log: keepingLog(),
  });
  expect(schedule).toBe('* * * * *');
});

const town = useTown();
let us: Provider;
let them: Provider;
let now = NOW;
let log = keepingLog();
beforeAll(async () => {
  [us, them] = await Promise.all([openProvider(), openProvider()]);
});
beforeEach(async () => {
  now = NOW;
  log = keepingLog();
  await town.owner`truncate raw.pull`;
  // an import keeps stations and providers that it doesn't name
  await town.owner`delete from raw.station where id > 2`;
  await town.owner`delete from raw.provider where id not in ('us', 'them')`;
  await bring();
  us.requests.length = 0;
  us.serve(RECORDED);
  them.requests.length = 0;
  them.serve([]);
});
afterAll(() => Promise.all([us.close(), them.close()]));

const bring = (
  usPull: object | null = { kind: 'sensor-community', url: us.url() },
  theirPull: object | null = null,
  network = smallNetwork(),
) =>
  bringIn(town.owner, {
    ...network,
    providers: [
      { id: 'us', title: 'Us', pull: usPull },
      { id: 'them', title: 'Them', pull: theirPull },
    ],
  });
const THEIRS = smallNetwork({ two: { provider: 'them' } });
const theirPull = () => ({ kind: 'sensor-community', url: them.url(), every: '20 minutes' });
const minute = () => new Date(Math.floor(now.getTime() / 60_000) * 60_000);
const job = (
  hosts = [us.host, them.host],
  { timeMs = 10_000, ...more }: { timeMs?: number; metrics?: Metrics; pulls?: PullCounter } = {},
) => {
  const options = { formats: READING_FORMATS, hosts, log, limits: { timeMs, bytes: 1_000_000 } };
  const pull = makePull(town.db.target, () => now, { ...options, ...more });
  return { run: () => pull(minute()) };
};
const run = (hosts?: string[]) => job(hosts).run();
const after = (minutes: number, seconds = 0) => {
  now = new Date(NOW.getTime() + minutes * 60_000 + seconds * 1_000);
};
const states = () => town.owner`select * from raw.pull order by provider_id`;
const quarantine = () =>
  town.owner`select source, provider_id, kind, reason, text from raw.quarantine order by kind, reason, text`;
const logged = (level: string) =>
  log.lines.filter((line) => line.level === level).map(({ fields }) => fields);

it('a poll replaces only the values that its document has, however far apart they stand, and keeps the values of a file (S3)', async () => {
  const before = Array.from({ length: 10 }, (_, minute) =>
    reading(1, new Date(NOW.getTime() - minute * 60_000).toISOString(), {
      ...{ pm25: 10, pm10: 20, humidity: 50 },
    }),
  );
  await town.accept(before);
  // more than a batch
  const rows = Array.from({ length: 5_100 }, (_, n) => element(1, n / 10, { P2: '11' }));
  us.serve([...rows, ...before.map((_, n) => element(1, n, { P2: '', P1: '' }))]);
  await run();
  const values = await town.owner`
    select pm25, pm10, humidity, count(*)::int as n from raw.readings group by 1, 2, 3 order by n`;
  expect(values).toEqual([
    { pm25: 11, pm10: null, humidity: 50, n: 10 },
    { pm25: 11, pm10: null, humidity: null, n: 5_090 },
  ]);
  expect(logged('info')).toMatchObject([
    { received: 5_110, replaced: { values: 20, newest: '2026-11-20T12:00:00Z' } },
  ]);
  expect(await differences(town.db)).toEqual([]);
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
  expect(await stored(town.owner)).toMatchObject([
    { sensor_id: 1, measured_at: '2026-11-20T14:00:00+04:00', pm25: 10 },
  ]);
  expect(logged('warn')).toEqual([]);
});

it('times without an offset are read by the zone rules of the database, and rows may name no sensor (Z5)', async () => {
  await town.db.refresh(NOW);
  await town.owner`update raw.zone_offset set utc_offset = '03:00' where until > ${NOW}`;
  us.serve('time;pm25\n2026-11-19 12:00;5\n');
  await bring({ kind: 'airseries', url: us.url(), zone: 'Asia/Yerevan', sensor: 1 });
  await run();
  expect(await stored(town.owner)).toMatchObject([
    { sensor_id: 1, measured_at: '2026-11-19T13:00:00+04:00' },
  ]);
  await town.owner`delete from raw.zone_offset`;
});

it('a poll stores the readings of the provider’s own sensors, and logs their counts', async () => {
  await run();
  expect(await stored(town.owner)).toMatchObject([
    { sensor_id: 1, measured_at: '2026-11-20T15:58:00+04:00', pm1: 8.1, pm25: 14.2, pm10: 21.9 },
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
  expect(await differences(town.db)).toEqual([]);
});

it('each provider is polled at its own interval, and not earlier', async () => {
  await bring(undefined, theirPull());
  const counts = [];
  for (const seconds of [59, 299, 300, 599, 1_199, 1_200]) {
    after(0, seconds);
    await run();
    counts.push(`${us.requests.length} ${them.requests.length}`);
  }
  expect(counts).toEqual(['1 1', '1 1', '2 1', '2 1', '3 1', '3 2']);
  expect((await states()).map(({ started_at }) => started_at)).toEqual([
    '2026-11-20T16:20:00+04:00',
    '2026-11-20T16:19:00+04:00',
  ]);
});

it('two workers poll a provider once, and what one reads again after the other was cut off is stored once', async () => {
  us.serve([element(1, 1)]);
  const superuser = town.db.superuser();
  const end = await openTransaction(superuser, 'lock table raw.readings in share mode');
  const first = run();
  await untilWaiting(superuser); // its readings
  await run(); // in the same minute
  expect(us.requests).toHaveLength(1);
  after(5); // it is cut off, as far as others know
  const second = run();
  await until(async () => us.requests.length === 2, 'another polls');
  await end('rollback');
  await Promise.all([first, second]);
  expect(await stored(town.owner)).toHaveLength(1);
  expect(await states()).toMatchObject([{ failures: 0 }]);
});

it('a provider is polled again after a clock that was ahead is corrected', async () => {
  after(500_000);
  await run();
  after(0);
  await run();
  expect(us.requests).toHaveLength(2);
});

it('a reading older than a day before its sensor’s newest is quarantined, unless it is stored already (S2)', async () => {
  const repeated = element(1, 30_000);
  us.serve([element(1, 2), element(2, 1_443), repeated]);
  await run();
  expect(await stored(town.owner)).toHaveLength(3); // a sensor without readings takes any
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
  const [unreadable, outdated, ...more] = (
    await listQuarantine(town.owner, {}, 10, READING_FORMATS)
  ).lines;
  expect(outdated).toMatchObject({
    reason: 'outdated',
    text: expect.stringContaining('2026-11-19 11:57:00'),
    explanation: expect.stringMatching(/^the feed lists it .* quarantine retry stores it$/),
  });
  expect([unreadable?.reason, more]).toEqual(['unreadable_time', []]);
  after(10);
  await run();
  expect(await quarantine()).toHaveLength(2);
  expect(await providerArrivals(town.owner, NOW)).toMatchObject([
    { id: 'them' },
    { quarantined: 2 },
  ]);
  expect(await retry(town.owner, { reason: 'outdated' }, now)).toMatchObject({
    ...{ retried: 1, accepted: 1 },
  });
  after(15);
  await run();
  expect(logged('debug').at(-1)).toMatchObject({ quarantined: 1, ignored: 2 });
});

it('a reading older than the retention is ignored once its sensor has a newer one', async () => {
  us.serve([element(1, 2)]);
  await run();
  await town.owner`update raw.installation set ingest_cutoff = ${new Date(NOW.getTime() - 40 * DAY_MS)}`;
  us.serve([element(1, 1), element(1, 41 * 1_440)]);
  after(5);
  await run();
  await town.owner`update raw.installation set ingest_cutoff = '-infinity'`;
  expect(logged('info').at(-1)).toMatchObject({ accepted: 1, quarantined: 0, ignored: 1 });
});

it('unusable readings of our sensors are quarantined, which is no failure, and other sensors’ are ignored', async () => {
  const strangers = [null, 5, {}, { sensor: { id: 99 } }];
  const ours = { id: 1, sensor: { id: 1 }, sensordatavalues: 'none' };
  us.serve([...strangers, ours, element(1, -10), element(2, 1, { temperature: 'unavailable' })]);
  await run();
  expect(await stored(town.owner)).toEqual([]);
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
  const error =
    'it answers, but none of its readings could be stored yet: "quarantine list" says why';
  expect(await states()).toMatchObject([{ failures: 0, error }]);
  us.serve([ours]);
  after(5);
  await run();
  expect(await states()).toMatchObject([{ failures: 0 }]);
});

const time = '2026-11-20T11:00:00Z';
it.each<[what: string, values: (hour: number) => object, error: string]>([
  [
    'a verdict that is not used',
    (hour) => ({ pm25: 5, valid: hour % 2 }),
    'which rows count seems to stand in valid (0, 1), and is not used; nothing of it was stored. Write "only": "valid=0"',
  ],
  [
    'values of which one cannot be',
    () => ({ pm25: 9, pm10: 3 }),
    'PM2.5 is above PM10 in each of 20 rows, which cannot be: the columns were exchanged; nothing of it was stored.',
  ],
])('a document stops where a file stops, as at %s (S7)', async (_, values, error) => {
  await bring({ kind: 'airseries', url: us.url() });
  us.serve(
    Array.from({ length: 20 }, (_, hour) => ({
      sensor_id: 1,
      time: new Date(NOW.getTime() - (hour + 1) * 3_600_000).toISOString(),
      ...values(hour),
    })),
  );
  await run();
  expect(await states()).toMatchObject([
    { failures: 1, error: expect.stringContaining(`provider us, ${us.url()}: ${error}`) },
  ]);
  expect(await stored(town.owner)).toEqual([]);
});

const OF_NO_TIME = { api_version: 'V1', data_time_stamp: 1 };
const ROW = {
  fields: ['sensor_index', 'pm2.5_atm'],
  data: [
    [1, 5],
    [2, 6],
  ],
};
const NONE = 'none of a sensor of this provider';
it.each<[what: string, pull: object, document: unknown, error: string]>([
  [
    'several current values of PurpleAir without their time',
    { kind: 'purpleair' },
    { ...OF_NO_TIME, ...ROW },
    `it holds 2 readings, ${NONE}: it does not say when it was measured: add last_seen to the fields in its address. Correct`,
  ],
  ['no row', {}, [], 'it holds no reading. Open the address yourself: it may ask'],
  [
    'readings of other sensors',
    {},
    [element(98, 1), element(99, 1), element(99, 2)],
    `it holds 3 readings, ${NONE}: sensors 98, 99. Its sensors in the network file are 1, 2, 3. Write there what`,
  ],
  [
    'a reading of an unknown device',
    { kind: 'airgradient' },
    { serialno: 'a1', pm02: 7 },
    `it holds 1 reading, ${NONE}: device a1. Its sensors`,
  ],
  [
    'readings that name neither',
    { kind: 'airseries' },
    [
      { time, pm25: 5 },
      { time, pm25: 6 },
    ],
    `${NONE}, because they name no sensor and no device. Add "sensor": 1 to "pull"`,
  ],
  [
    'readings of another kind',
    { kind: 'thingspeak' },
    [
      { nr: 1, staub: 5 },
      { nr: 1, staub: 6 },
    ],
    `${NONE}: they name no sensor, no device and no known parameter; found nr, staub. Correct the address`,
  ],
  [
    'readings without a known parameter',
    { kind: 'airseries' },
    [{ sensor_id: 1, time, staub: 5, ['lärm'.repeat(1_000)]: 60, a: 1, b: 2, c: 3, d: 4 }],
    `it holds 1 reading of its sensors, without a known parameter; found staub, ${'lärm'.repeat(10)}, a, b, c. Say which`,
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
      error: expect.stringContaining(error),
    },
  ]);
  expect(await stored(town.owner)).toEqual([]);
});

it('readings of a device that the network does not know yet wait in quarantine, although their document is a failure (S2)', async () => {
  await bring({ kind: 'airgradient', url: us.url() });
  us.serve({ serialno: 'a1', pm02: 7 });
  await run();
  expect(await states()).toMatchObject([{ failures: 1 }]);
  expect(await quarantine()).toMatchObject([{ provider_id: 'us', reason: 'unknown_sensor' }]);
  await town.owner`update raw.sensor set device = 'a1' where id = 1`;
  expect(await retry(town.owner)).toMatchObject({ accepted: 1 });
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
  ['1 hour', '3 hours', 720],
])(
  'a feed polled every %s, whose numbers count for %s, is quiet once it has had nothing new for more than %i minutes',
  async (every, staleAfter, minutes) => {
    await bring({ kind: 'sensor-community', url: us.url(), every });
    await town.owner`update raw.provider set stale_after = ${staleAfter}::interval where id = 'us'`;
    const metrics = makeMetrics();
    const pulls = makePullCounter(metrics);
    const counted = job([us.host], { metrics, pulls });
    const error = async (at: number) => {
      after(at);
      await counted.run();
      return (await states())[0]?.error;
    };
    us.serve([element(1, 0)]);
    expect([await error(0), await error(minutes)]).toEqual([null, null]);
    // readings that are pushed or imported say nothing about the feed
    await town.owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${now}, 2, 5)`;
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
  await bringIn(town.owner, { ...network, providers });
  us.serve([
    element(3, 1),
    element(1, 1),
    element(3, 31),
    { ...element(2, 0), timestamp: 'then' },
    element(3, 5),
  ]);
  await run();
  expect((await stored(town.owner)).map(({ sensor_id }) => sensor_id)).toEqual([1, 3]);
  expect(logged('info')).toMatchObject([{ received: 5, accepted: 2, quarantined: 1, ignored: 2 }]);
  expect(await differences(town.db)).toEqual([]);
  // its newest reading at the other provider does not count for this one
  const late = { ...element(3, 0), timestamp: '2026-11-17 10:00:00' };
  await town.owner`delete from raw.readings`;
  await town.owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${NOW}, 3, 5)`;
  us.serve([late]);
  after(10);
  await run();
  expect(logged('info').at(-1)).toMatchObject({ accepted: 1, ignored: 0 });
});

it('a fault of the database does not count against the provider, and keeps no other feed from being polled', async () => {
  await bring(undefined, theirPull(), THEIRS);
  us.serve([element(1, 0)]);
  them.serve([element(3, 0)]);
  await town.owner`alter table raw.readings add constraint broken check (sensor_id <> 1) not valid`;
  await expect(run()).rejects.toThrow('broken');
  expect(await states()).toMatchObject([
    { provider_id: 'them', failures: 0, error: null, succeeded_at: expect.anything() },
    { provider_id: 'us', failures: 0, error: null, succeeded_at: null },
  ]);
  await town.owner`alter table raw.readings drop constraint broken`;
  after(5);
  await run();
  expect((await stored(town.owner)).map(({ sensor_id }) => sensor_id)).toEqual([1, 3]);
  expect(logged('warn')).toEqual([]);
});

it('failures in a row are counted, the first and every tenth is logged, and a success resets the count', async () => {
  us.answer((_request, response) => response.writeHead(502).end());
  const running = job();
  for (let n = 0; n < 11; n += 1) {
    after(n * 15);
    await running.run();
  }
  const error = expect.stringContaining(`provider us, ${us.url()}: it answered 502`);
  expect(logged('warn')).toMatchObject([
    { provider: 'us', failures: 1, error: expect.stringContaining('it answered 502') },
    { failures: 10 },
  ]);
  expect(await states()).toMatchObject([{ failures: 11, succeeded_at: null, error }]);
  us.serve([element(1, -165)]);
  after(165);
  await running.run();
  const at = '2026-11-20T18:45:00+04:00';
  expect(await states()).toMatchObject([
    { failures: 0, error: null, started_at: at, succeeded_at: at },
  ]);
  us.serve('no array');
  after(170);
  await running.run();
  expect(logged('warn')).toHaveLength(3);
  expect(await states()).toMatchObject([
    {
      ...{ failures: 1, succeeded_at: at },
      error: expect.stringContaining('not in the layout of sensor-community'),
    },
  ]);
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
  return bringIn(town.owner, {
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
  await job(undefined, { timeMs: 2_000 }).run();
  expect(await states()).toMatchObject(
    [...HANGING, 'us'].map((provider_id) => ({ provider_id, failures: 0 })),
  );
  expect(most).toBe(4);
});

it('a healthy feed is polled every minute beside four that hang', async () => {
  await bringBeside(Object.fromEntries(HANGING.map((id) => [id, them])));
  const hanging: ServerResponse[] = [];
  them.answer((_request, response) => void hanging.push(response));
  us.serve([element(1, 0)]);
  const first = job(undefined, { timeMs: 60_000 }).run();
  await expect.poll(() => hanging.length).toBe(HANGING.length);
  for (const response of hanging) response.destroy();
  await first;
  us.serve([element(1, -1)]);
  after(1);
  const second = job(undefined, { timeMs: 60_000 }).run();
  await expect.poll(() => stored(town.owner)).toHaveLength(2); // while the four hang
  expect(await states()).toMatchObject([...HANGING.map(() => ({ failures: 1 })), { failures: 0 }]);
  await expect.poll(() => hanging.length).toBe(2 * HANGING.length);
  for (const response of hanging) response.destroy();
  await second;
});

it('a feed that fails is polled less and less often, until it answers another process', async () => {
  await bring({ kind: 'sensor-community', url: us.url(), every: '1 minute' });
  us.answer((_request, response) => response.writeHead(502).end());
  const running = job();
  const polled: number[] = [];
  for (const minute of [0, 1, 2, 3, 6, 7, 14, 15, 29, 30, 44, 45, 47]) {
    after(minute);
    const before = us.requests.length;
    await running.run();
    if (us.requests.length > before) polled.push(minute);
  }
  expect(polled).toEqual([0, 1, 3, 7, 15, 30, 45]);
  us.serve([element(1, -60)]);
  after(60);
  await job().run();
  expect(await states()).toMatchObject([{ failures: 0, retry_at: null }]);
});

it.each([
  ['600', '2026-11-20T16:10:00+04:00'],
  ['Fri, 20 Nov 2026 12:20:00 GMT', '2026-11-20T16:20:00+04:00'],
  ['31536000', '2026-11-20T16:30:00+04:00'],
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
  await town.owner`update raw.pull set failures = 4 where provider_id = 'them'`; // of another worker
  await job([us.host]).run();
  const pulls = async () => [...(await pullStatus.read(town.owner))];
  expect(await pulls()).toMatchObject([
    [
      'them',
      {
        started_at: null,
        failures: 4,
        error: expect.stringContaining('its host is not in PULL_HOSTS. Add it'),
      },
    ],
    ['us', { failures: 0, error: null }],
  ]);
  them.serve([element(3, 1)]);
  await run();
  expect(them.requests).toHaveLength(1);
  expect(await pulls()).toMatchObject([
    ['them', { failures: 0, error: null }],
    ['us', {}],
  ]);
});

it('a feed of an unknown kind fails without a request', async () => {
  await town.owner`update raw.provider set pull = pull || '{"kind": "toString"}' where id = 'us'`;
  await run();
  expect(await states()).toMatchObject([
    { failures: 1, error: expect.stringContaining('knows no kind toString') },
  ]);
  expect(us.requests).toEqual([]);
});

it('a sensor that moved is left out of its feed, alone, and a hint says so (S9)', async () => {
  await bring({ kind: 'airseries', url: us.url() });
  const row = (sensor_id: number, latitude: number) =>
    ({ sensor_id, time, pm25: 5, latitude, longitude: 44 }) as const;
  us.serve([row(1, 40.011), row(2, 40)]);
  await run();
  const moved =
    /sensor 1 at .* 1\.2 km from its station 1; the readings of such sensors are left out/;
  expect(logged('warn')).toEqual([{ provider: 'us', hints: [expect.stringMatching(moved)] }]);
  expect(await stored(town.owner)).toMatchObject([{ sensor_id: 2 }]);
  us.serve([row(1, 40.011)]);
  after(5);
  await run();
  expect(await states()).toMatchObject([
    { error: expect.stringContaining('1.2 km from its station 1; nothing of it was stored') },
  ]);
});

it('no key in the address of a feed is shown in the log, a metric or the status, whatever the feed answers', async () => {
  const MARK = 's3kr1t';
  const key = `?key=${MARK}`;
  const urls = {
    broken: us.url(`/broken.json${key}`),
    elsewhere: us.url(`/elsewhere.json${key}`),
    failing: us.url(`/failing.json${key}`),
    far: `http://no.invalid/data.json${key}`,
    closed: `http://127.0.0.1:${await freePort()}/data.json${key}`,
  };
  us.answer(({ url = '' }, response) => {
    if (url.startsWith('/failing')) response.writeHead(500);
    if (url.startsWith('/elsewhere'))
      response.writeHead(302, { location: `http://other.example/${key}` });
    response.end(`<html>${url}</html>`);
  });
  const providers = Object.entries(urls).map(([id, url]) => ({
    ...{ id, title: id, pull: { kind: 'sensor-community', url } },
  }));
  await bringIn(town.owner, {
    ...smallNetwork(),
    providers: [{ id: 'us', title: 'Us', pull: null }, ...providers],
  });
  const metrics = makeMetrics();
  const pulls = makePullCounter(metrics);
  await job([us.host, new URL(urls.closed).host], { metrics, pulls }).run();
  const status = await commandsOn(town.db)('status');
  const said = log.lines.map(({ fields }) => (fields as { provider: string }).provider);
  expect(said.toSorted()).toEqual(Object.keys(urls).toSorted());
  expect(status.table?.(1_000)).toMatch(/failing\.json: it answered 500/);
  const shown = [log.lines, await metrics.registry.metrics(), status, status.table?.(1_000)];
  expect(JSON.stringify(shown)).not.toContain(MARK);
});
