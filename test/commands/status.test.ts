/** The status command, over a network to which one provider pushes and one is polled. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import { readProviders, sensorTable, statusTable } from '../../src/commands/status.ts';
import { ago, facts, resultTable, table } from '../../src/commands/table.ts';
import { onConnection } from '../../src/database/client.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import {
  mostUrgent,
  type SensorArrivals,
  sensorArrivals,
} from '../../src/ingest/store/arrivals.ts';
import { unusedEngine } from '../../src/schema/engine.ts';
import { reading } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import { whereComplete } from '../support/complete.ts';
import {
  emptyDatabase,
  engines,
  onOneEngine,
  type TestDatabase,
  testDatabase,
} from '../support/database.ts';
import { PROVIDER_FACTS } from '../support/network.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';

const versions = { airseries: '1.2.3', node: 'v20', postgresql: '18.4', timescaledb: '9.0.0' };

const RULES = {
  recorded_until: '2031-11-20T16:00:00+04:00',
  changed_at: null,
  changed_from: null,
  refused_from: null,
  refused: null,
};

test('tables align words to the left and numbers to the right', () => {
  const rows = [
    ['a', 'long name', 5],
    ['bc', null, 12],
  ];
  expect(table(['id', 'name', 'n'], rows)).toBe(
    'id  name        n\na   long name   5\nbc  –          12',
  );
});

test('tables fit their width: long words are cut off, headings and numbers never', () => {
  const rows = [['a'.repeat(30), 'b'.repeat(60), 123_456]];
  const cut = table(['name', 'error', 'n'], rows, 60).split('\n');
  expect(cut.map((line) => line.length)).toEqual([60, 60]);
  expect(cut[1]).toBe(`${'a'.repeat(24)}…  ${'b'.repeat(24)}…  123456`);
  expect(table(['newest reading', 'n'], [['3 h ago, or so it seems', 1]], 17)).toBe(
    'newest reading  n\n3 h ago, or s…  1',
  );
});

test('a table that no cutting makes narrow enough becomes texts, a row each', () => {
  const rows = [
    [11, 'SDS011', null],
    [12, 'BME280', '3 h ago'],
  ];
  expect(table(['sensor', 'kind', 'newest reading'], rows, 25)).toBe(
    'sensor 11: kind SDS011,\n  newest reading –\nsensor 12: kind BME280,\n  newest reading 3 h ago',
  );
});

test('without a terminal a row stays a line, and nothing is cut', () => {
  const long = 'long words '.repeat(30).trim();
  expect(table(['id', 'text'], [[1, long]])).toBe(`id  text\n 1  ${long}`);
  expect(facts([['text', long]])).toBe(`text  ${long}`);
  expect(resultTable([{ id: 1, text: long }])).toBe(`id  text\n 1  ${long}`);
});

test('facts go on below where they began, and in a narrow terminal below their name', () => {
  const pairs = [
    ['one', 'a b c'],
    ['three', 'd'],
  ] as const;
  expect(facts([['one', `${'a'.repeat(20)} ${'b'.repeat(20)}`]], 36)).toBe(
    `one  ${'a'.repeat(20)}\n     ${'b'.repeat(20)}`,
  );
  expect(facts(pairs, 30)).toBe('one\n    a b c\nthree\n    d');
});

test('any result can be shown: values as facts, and lists as tables or, if they are wide, item by item', () => {
  expect(resultTable([])).toBe('none');
  expect(resultTable(['a', 'b'])).toBe('a\nb');
  const lines = [
    { id: 1, text: 'x' },
    { id: 2, text: null },
  ];
  expect(resultTable({ total: 2, by_reason: { a: 1, b: 1 }, left: [], lines })).toBe(
    'total      2\nby_reason  a 1, b 1\nleft       none\n\nlines:\nid  text\n 1  x\n 2  –',
  );
  const wide = [{ id: 1, text: 'long words '.repeat(9).trim() }];
  expect(resultTable({ lines: wide }, 40)).toBe(
    'lines:\nid    1\ntext  long words long words long words\n      long words long words long words\n      long words long words long words',
  );
});

test.each([
  ['2026-11-20T15:59:30+04:00', '2026-11-20 15:59:30 (30 s ago)'],
  ['2026-11-20T14:00:00+04:00', '2026-11-20 14:00:00 (2 h ago)'],
  ['2026-11-20T12:59:00+04:00', '2026-11-20 12:59:00 (3 h ago)'],
  ['2026-11-18T12:00:00+04:00', '2026-11-18 12:00:00 (2 d ago)'],
  ['2026-11-20T16:04:00+04:00', '2026-11-20 16:04:00 (in 4 min)'],
  [null, 'never'],
])('a time is shown with its age: %s is "%s"', (time, text) => {
  expect(ago(time, NOW)).toBe(text);
});

onOneEngine('status', (engine) => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase(engine);
    const owner = db.as();
    const network = smallNetwork({ sensor: { kind: 'SDS011', device: 'esp8266-1' } });
    const pull = {
      kind: 'sensor-community',
      url: 'https://data.example/x.json',
      every: '5 minutes',
    };
    await bringIn(owner, {
      ...network,
      providers: [...network.providers, { id: 'far', title: 'Far', pull }],
    });
    await createToken(owner, { name: 'roof', provider: 'us', stations: null, now: NOW });
    await owner`update raw.token set last_used_at = '2026-11-20T11:58:00Z'`;
    await owner`insert into raw.pull values ('far', '2026-11-20T11:50:00Z', '2026-11-20T10:00:00Z', 3, 'HTTP 500')`;
    const scope = { provider: 'us', stations: null };
    const push = (device: string) => ({
      sensorId: undefined,
      measuredAt: '2026-11-20T11:00:00Z',
      values: {},
      text: JSON.stringify({
        device,
        pin: null,
        measured_at: '2026-11-20T11:00:00Z',
        sensordatavalues: [],
      }),
    });
    const readings = [
      reading(1, '2026-11-20T11:30:00Z', { pm25: 5 }),
      reading(1, '2027-01-01T00:00:00Z', { pm25: 5 }),
      reading(3, '2026-11-20T06:00:00Z', { pm25: 5 }),
      reading(99, '2026-11-20T11:30:00Z', { pm25: 5 }),
      push('esp8266-1'),
      push('esp8266-2'),
    ];
    await acceptReadings(db.as('airseries_ingest'), readings, { now: NOW, source: 'roof', scope });
    // of no sensor and no device
    await owner`insert into raw.quarantine (recorded_at, source, kind, reason, text, reading)
      values (${NOW}, 'push', 'reading', 'unreadable', 'x', null)`;
    await refresh(db.target, () => NOW);
  });
  afterAll(() => db.drop());

  test(
    'status shows each provider with its newest reading, pull and tokens',
    whereComplete,
    async () => {
      const owner = db.as('airseries_owner', 'Asia/Yerevan');
      const providers = await readProviders(owner, NOW, PROVIDER_FACTS);
      expect(providers).toEqual([
        {
          id: 'far',
          online: 0,
          offline: 0,
          newest_reading: null,
          tokens: [],
          quarantined: 0,
          pull: {
            every: '5 minutes',
            started_at: '2026-11-20T15:50:00+04:00',
            succeeded_at: '2026-11-20T14:00:00+04:00',
            failures: 3,
            error: 'HTTP 500',
          },
        },
        {
          id: 'us',
          online: 1,
          offline: 1,
          newest_reading: '2026-11-20T15:30:00+04:00',
          pull: null,
          quarantined: 4,
          tokens: [{ name: 'roof', last_used_at: '2026-11-20T15:58:00+04:00' }],
        },
      ]);
      const freshness = {
        refreshed_at: '2026-11-20T15:59:00+04:00',
        digest_made_at: null,
        newest_reading: '2026-11-20T15:30:00+04:00',
        audited_at: '2026-11-20T03:00:00+04:00',
        differing_buckets: 2,
      };
      const shown = (kept_hours: { recorded: number; missing: number | null }, used = versions) =>
        statusTable(
          {
            engine,
            time_zone: 'Asia/Yerevan',
            zone_rules: RULES,
            versions: used,
            freshness,
            kept_hours,
            providers,
          },
          NOW,
          80,
          PROVIDER_FACTS,
        );
      const text = shown({ recorded: 8_130, missing: 0 });
      expect(text).toContain(
        `engine                ${engine}, Asia/Yerevan\nversions              airseries 1.2.3, node v20, `,
      );
      expect(text.replaceAll(/\s+/g, ' ')).toContain(
        'postgresql 18.4, timescaledb 9.0.0, newer than those tried (',
      );
      expect(text).not.toContain('WARNING');
      const old = { ...versions, postgresql: '15.20', timescaledb: '2.28.3' };
      const warned = shown({ recorded: 8_130, missing: null }, old);
      for (const silent of [text, warned]) expect(silent).not.toContain('kept hours');
      expect(shown({ recorded: 8_130, missing: 6_192 }).replaceAll(/\s+/g, ' ')).toContain(
        'kept hours LOST: 6192 of 8130 sensor hours whose readings retention has deleted. Restore them from a dump: grafana/runbooks.md, "When kept hours were lost"',
      );
      expect(warned.replaceAll(/\s+/g, ' ')).toContain(
        'postgresql 15.20, timescaledb 2.28.3. WARNING: its background jobs fail on PostgreSQL 15.20',
      );
      expect(text).toContain(
        'last audit            2026-11-20 03:00:00 (13 h ago): 2 buckets differ',
      );
      expect(text).toMatch(/^far +0 +0 +never +0$/m);
      expect(text).toMatch(/^us +1 +1 +30 min ago +4$/m);
      expect(text).toMatch(
        /^pulled from +every +succeeded +failures since\nfar +5 minutes +2 h ago +3\n\nfar +HTTP 500$/m,
      );
      expect(text).toMatch(/^pushed by +token +last used\nus +roof +2 min ago$/m);
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  );

  test('status shows each sensor with its newest and waiting readings, and senders outside the network', async () => {
    const result = await sensorArrivals(db.as('airseries_owner', 'Asia/Yerevan'), NOW);
    const newest = '2026-11-20T16:00:00+04:00';
    const sensor = (id: number, station: number, at: string | null, more: object = {}) => ({
      ...{ sensor: id, kind: null, device: null, station, newest_reading: at, oldest_reading: at },
      ...{ has_gap: false, is_overdue: true, waiting: 0, ...more },
    });
    const named = { kind: 'SDS011', device: 'esp8266-1', is_overdue: false, waiting: 2 };
    expect(result).toEqual({
      sensors: [
        sensor(1, 1, '2026-11-20T15:30:00+04:00', named),
        sensor(2, 1, null),
        sensor(3, 2, '2026-11-20T10:00:00+04:00'),
      ],
      unknown: expect.arrayContaining([
        { sensor: 99, device: null, waiting: 1, newest },
        { sensor: null, device: 'esp8266-2', waiting: 1, newest },
      ]),
    });
    expect(result.unknown).toHaveLength(2);
    const text = sensorTable(result, NOW, 80);
    expect(text).toMatch(/^ +1 +SDS011 +esp8266-1 +1 +30 min ago +2026-11-20 +2$/m);
    expect(text).toMatch(/^ +2 +– +– +1 +never +– +0$/m);
    expect(text).toMatch(/Not in the network:[\s\S]*99[\s\S]*esp8266-2[\s\S]*quarantine list/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

test('status shows a sensor’s oldest reading, and asks about a reset clock where years follow it', async () => {
  const other = await testDatabase(engines[0] ?? 'plain');
  onTestFinished(() => other.drop());
  const sql = other.as('airseries_owner', 'Asia/Yerevan');
  await bringIn(sql, smallNetwork());
  await sql`
    insert into raw.readings (measured_at, sensor_id, pm25)
    values ('2000-01-01T00:00:07Z', 1, 5), ('2000-01-01T00:02:32Z', 1, 5), (${NOW}, 1, 5), ('2026-01-01Z', 2, 5), (${NOW}, 2, 5)`;
  const result = await sensorArrivals(sql, NOW);
  expect(result.sensors).toMatchObject([
    { sensor: 1, oldest_reading: '2000-01-01T04:00:07+04:00', has_gap: true },
    { sensor: 2, oldest_reading: '2026-01-01T04:00:00+04:00', has_gap: false },
    { sensor: 3, oldest_reading: null, has_gap: false },
  ]);
  expect(sensorTable(result, NOW)).toContain(
    'Years without a reading follow the oldest of sensor 1: a clock that was reset?',
  );
});

test.each(engines)(
  'a TimescaleDB that the database could use is found, and one that it uses is not (%s)',
  async (engine) => {
    const [used, unused] = await Promise.all([testDatabase(engine), emptyDatabase(engine)]);
    onTestFinished(async () => void (await Promise.all([used.drop(), unused.drop()])));
    const found = await onConnection(unused.target, {}, unusedEngine);
    const expected = { version: expect.stringMatching(/^2\.\d+\.\d+$/), is_preloaded: true };
    expect(found).toEqual(engine === 'timescale' ? expected : null);
    expect(await unusedEngine(used.as())).toBeNull();
  },
);

describe('the most urgent sensors', () => {
  const sensor = (id: number, newest_reading: string | null, more = {}): SensorArrivals => ({
    ...{ sensor: id, kind: null, device: null, station: 1, has_gap: false, waiting: 0 },
    ...{ newest_reading, oldest_reading: newest_reading },
    is_overdue: newest_reading === null || newest_reading < '2026-11-20T13:00',
    ...more,
  });
  const sensors = [
    sensor(1, '2026-11-20T15:59:00+04:00'),
    sensor(2, null),
    sensor(3, '2026-11-20T10:00:00+04:00'),
    sensor(4, '2026-11-20T15:59:00+04:00', { waiting: 1 }),
    sensor(5, '2026-11-20T12:00:00+04:00'),
    sensor(6, null),
    sensor(7, null, { station: null, is_overdue: false }),
  ];
  const sender = (id: number) => ({
    sensor: id,
    device: null,
    waiting: 1,
    newest: '2026-11-20T15:59:00+04:00',
  });

  test('the most urgent sensors have lines in quarantine, and then the latest silence', () => {
    const { sensors: shown, others } = mostUrgent({ sensors, unknown: [] }, 10);
    expect(shown.map((each) => each.sensor)).toEqual([4, 5, 3, 2, 6, 1, 7]);
    expect(others).toEqual({ need_attention: 0, fine: 0, unknown: 0 });
  });

  test('status lists a few of the most urgent sensors, and counts the others', () => {
    const few = mostUrgent({ sensors, unknown: [sender(91), sender(92), sender(93)] }, 2);
    expect(few.sensors.map((each) => each.sensor)).toEqual([4, 5]);
    expect(few.unknown.map((each) => each.sensor)).toEqual([91, 92]);
    expect(few.others).toEqual({ need_attention: 3, fine: 2, unknown: 1 });
    const text = sensorTable(few, NOW);
    expect(text).toContain(
      '\nand 3 more that need attention, and 2 more that are fine: --all shows them\n',
    );
    expect(text).toContain('\nand 1 more: --all shows them\n');
    const fine = { ...few, others: { need_attention: 0, fine: 2, unknown: 0 } };
    expect(sensorTable(fine, NOW)).toContain('\nand 2 more that are fine: --all shows them\n');
    const all = { ...few, others: { need_attention: 0, fine: 0, unknown: 0 } };
    expect(sensorTable(all, NOW)).not.toMatch(/\band \d|--all/);
  });
});

describe('status without a provider', () => {
  const shown = (engine: Partial<Parameters<typeof statusTable>[0]>) =>
    statusTable(
      {
        engine: 'x',
        time_zone: 'UTC',
        zone_rules: RULES,
        versions,
        freshness: {
          ...{ refreshed_at: null, digest_made_at: null, newest_reading: null },
          ...{ audited_at: null, differing_buckets: null },
        },
        providers: [],
        kept_hours: { recorded: 0, missing: 0 },
        ...engine,
      },
      NOW,
    );

  test('status without a provider says what to do first', () => {
    expect(shown({})).toContain(
      'There is no network yet: node src/airseries.js import network FILE.',
    );
  });

  test('status says from when on rules of the zone are refused, or were followed', () => {
    const changed = {
      changed_at: '2026-11-20T16:00:00+04:00',
      changed_from: '2026-11-01T09:00:00Z',
    };
    const refused = { refused_from: '2027-01-01T00:00:00Z', refused: 'why' };
    const text = shown({ zone_rules: { ...RULES, ...changed, ...refused } }).replaceAll(
      /\s+/g,
      ' ',
    );
    expect(text).toContain('zone rules REFUSED from 2027-01-01T00:00:00Z on');
    expect(text).toContain('changed from 2026-11-01T09:00:00Z on, followed 2026-11-20');
  });

  test('status of a plain database says which TimescaleDB is at hand, and how to move', () => {
    const beside = (is_preloaded: boolean) =>
      shown({ engine: 'plain', unused_engine: { version: '2.28.3', is_preloaded } });
    expect(beside(true)).toMatch(
      /\nfaster engine +this server has TimescaleDB 2\.28\.3\. .* move to a new one there: src\/database\/README\.md, "A server of your own"\n/,
    );
    expect(beside(false)).toContain(
      'once timescaledb is in its shared_preload_libraries and it was',
    );
  });
});
