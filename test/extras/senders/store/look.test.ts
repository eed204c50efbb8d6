/** The rows of a source are looked at as a whole before any is stored, in any order (S3, S7, S8). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeFindings } from '../../../../src/ingest/reading/facts.ts';
import type { ReadingInput } from '../../../../src/ingest/reading/reading.ts';
import { COMMAND_LINE } from '../../../../src/ingest/reading/vocabulary.ts';
import { type Finding, lookAtStage, lookedAt } from '../../../../src/ingest/store/look.ts';
import { withStage } from '../../../../src/ingest/store/stage.ts';
import { importText, reading, useTown } from '../../../ingest/support.ts';
import { NOW } from '../../../support/clock.ts';
import { isAll } from '../../../support/database.ts';
import { READING_FORMATS } from '../../../support/formats.ts';

const town = useTown();

const row = (sensorId: number, hour: number, values: ReadingInput['values']) =>
  reading(sensorId, new Date(Date.UTC(2026, 9, 1, hour)).toISOString(), values, 1);

const looking = () => {
  const found = makeFindings('');
  found.facts.timeOfDay = null;
  return { found, say: COMMAND_LINE, formats: READING_FORMATS };
};

/** The number of rows in the sentence about them. */
const contradicting = (rows: readonly ReadingInput[]) =>
  withStage(town.ingest, async (stage) => {
    const staged = await stage.begin();
    await stage.add(rows, NOW);
    await stage.end();
    const { doubts, corrections } = await lookAtStage(
      stage.connection,
      staged.isUnique,
      looking(),
      async (ordinals) => ordinals.map((ordinal) => rows[ordinal - 1] as ReadingInput),
    );
    return Number.parseInt(doubts[0]?.what ?? corrections ?? '0', 10);
  });

/** Every row is compared with all rows before it that have its sensor and time. */
function expected(rows: readonly ReadingInput[]): number {
  const said = new Map<string, Record<string, Set<unknown>>>();
  return rows.filter(({ sensorId, measuredAt, values }) => {
    const key = `${sensorId} ${measuredAt}`;
    const before = said.get(key);
    const all = { ...before };
    for (const [name, value] of Object.entries(values))
      if (value !== null) all[name] = new Set([...(all[name] ?? []), value]);
    said.set(key, all);
    return Object.entries(values).some(
      ([name, value]) => value !== null && [...(before?.[name] ?? [])].some((one) => one !== value),
    );
  }).length;
}

const value = fc.constantFrom('1', '2', null);
const anyRow = fc
  .tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.nat(30),
    fc.record({ pm25: value, pm10: value, humidity: value }, { requiredKeys: [] }),
  )
  .map(([sensor, hour, values]) => row(sensor, hour, values));

it('contradicting rows are found in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { maxLength: 80 }), async (rows) => {
      expect(await contradicting(rows)).toBe(expected(rows));
    }),
    { seed: 7, numRuns: isAll ? 100 : 20 },
  );
});

it('rows contradict each other only in used columns of measured values, quoted as in the table', async () => {
  const list = ['id', 'at', 'PM2.5 (µg/m³)', 'note', 'displaced'];
  const columns = { list, delimiter: ';', measured: [2], unused: [3, 4] };
  const rows = ['1;08:00;"5";b;2', '1;8:00;7;a;1'].map((text, index) => ({
    ...row(1, 8, {}),
    text,
    columns,
    line: index + 3,
  }));
  const finding: Finding = {
    kind: 'contradictions',
    count: 1,
    rows: 4,
    stops: true,
    ordinals: [2, 3],
    sensor_id: 1,
    measured_at: '2026-10-01T08:00:00+00:00',
    parameter: 'pm25',
    values: [5, 7],
  };
  const first =
    '1 of 4 rows give a parameter another value than an earlier row of the same sensor and time';
  const { doubts } = await lookedAt([finding], looking(), async () => rows);
  expect(doubts).toEqual([
    {
      what: `${first} (lines 3 and 4, both 1 at 2026-10-01T08:00:00.000Z: PM2.5 (µg/m³) 5 and 7; unused columns that differ: note (b and a), displaced (2 and 1))`,
      remedy: expect.stringContaining('--only note=b,'),
    },
  ]);
  const dates = looking();
  dates.found.facts.timeOfDay = '00:00';
  const sameTimes = await lookedAt([finding], dates, async () => rows);
  expect(sameTimes.doubts[0]?.remedy).toContain('--column time=Date+note, which rows count');
  const standardInput = await lookedAt([finding], looking(), async () => undefined);
  expect(standardInput.doubts[0]?.what).toBe(
    `${first} (rows 2 and 3, both 1 at 2026-10-01T08:00:00+00:00: pm25 5 and 7)`,
  );
});

const imported = (content: string, format = {}) =>
  importText(town.ingest, content, { shift: '0min', ...format });

const at = (minute: number) => new Date(Date.UTC(2026, 9, 1) + minute * 60_000).toISOString();

it('the first rows that contradict each other are quoted, however far apart they stand', async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `1,${at(n)},1,a`);
  rows.splice(200, 0, `1,${at(100)},1,c`); // the last before it with another value
  const again = `1,${at(100)},2,b`;
  const { hints } = await imported(['sensor_id,time,pm25,note', ...rows, again].join('\n'));
  expect(hints).toEqual([
    expect.stringContaining(
      `1 row gives a parameter another value than an earlier row of the same sensor and time (lines 202 and 3003, both 1 at ${at(100)}: pm25 1 and 2; unused columns that differ: note (c and b)); the last one counts`,
    ),
  ]);
});

it('rows of one parameter each contradict each other only in that parameter', async () => {
  const of = (parameter: string, number: number) =>
    `1,2,2026-10-20T08:00:00Z,${parameter},${number},µg/m³`;
  const long = (...rows: string[]) =>
    imported(['location_id,sensors_id,datetime,parameter,value,units', ...rows].join('\n'));
  expect(await long(of('pm25', 5), of('pm10', 8))).toMatchObject({ failed: false, hints: [] });
  expect((await long(of('pm25', 5), of('pm25', 8))).failures[0]).toContain(
    '1 of 2 rows give a parameter another value than an earlier row of the same sensor and time (lines 2 and 3, both 2 at 2026-10-20T08:00:00Z: pm25 5 and 8)',
  );
});

it('PM2.5 above PM10 is found in rows of one parameter each, however they are sorted', async () => {
  const rows = ['pm25', 'pm10'].flatMap((parameter) =>
    Array.from(
      { length: 5_000 },
      (_, n) => `1,2,${at(n)},${parameter},${parameter === 'pm25' ? 9 : 5},µg/m³`,
    ),
  );
  const { failures } = await imported(
    ['location_id,sensors_id,datetime,parameter,value,units', ...rows].join('\n'),
  );
  expect(failures).toEqual([
    expect.stringContaining('PM2.5 is above PM10 in each of 5000 rows, which cannot be'),
  ]);
});

/** Row by row back in time; it did not rain in every hour. */
const RISES = (hour: number) => 50 - hour + (hour % 5 === 1 ? 1 : 0);
it.each<[what: string, name: string, value: (row: number) => unknown, said: RegExp, unit: string]>([
  [
    'PM2.5 above PM10',
    'pm25,pm10',
    (n) => `${20 + n},${19 + n}`,
    /PM2\.5 is above PM10 in each of 20 rows/,
    'pm10=ug/m3',
  ],
  ['a total', 'rain', RISES, /rain only rises, from 31 to 50 in 20 rows/, 'rain=mm'],
])(
  '%s is asked about from 20 rows on, until its unit is declared (S8)',
  async (_, name, value, said, unit) => {
    const of = (count: number) =>
      [
        `time,sensor_id,${name}`,
        ...Array.from({ length: count }, (_, n) => `${at(-60 * n)},1,${value(n)}`),
      ].join('\n');
    expect((await imported(of(19))).failures).toEqual([]);
    expect((await imported(of(20))).failures).toEqual([expect.stringMatching(said)]);
    expect(await imported(of(20), { units: [unit] })).toMatchObject({ failed: false });
  },
);

it.each<[what: string, name: string, value: (row: number) => unknown]>([
  ['PM2.5 above PM10 in all rows but one', 'pm25,pm10', (n) => (n === 7 ? '5,5' : '6,5')],
  ['PM2.5 at the mark of a fault', 'pm25,pm10', () => '9999,5'],
  ['rain that returns to 0', 'rain', (n) => (n === 15 ? 0 : 50 - n)],
  ['steady rain', 'rain', () => 0.2],
  ['rain that rises 19 times', 'rain', (n) => Math.max(0, 19 - n)],
])('an import accepts %s', async (_, name, value) => {
  const rows = Array.from({ length: 30 }, (_, n) => `${at(-60 * n)},1,${value(n)}`);
  const summary = await imported([`time,sensor_id,${name}`, ...rows].join('\n'));
  expect(summary).toMatchObject({ accepted: 30, failed: false });
});
