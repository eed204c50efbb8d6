/**
 * The five history windows at their edges (H1): the first and the last bucket, on both sides of a
 * full hour, a local midnight and the first of a month, and at clock changes. The expected values
 * come from ICU, not from the database.
 */
import { beforeAll, expect, it } from 'vitest';
import { apiOver } from '../../src/database/apiDb.ts';
import { makeWindows } from '../../src/serve/history.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { bucketStart, instantOf, localDate } from '../support/localTime.ts';

type Unit = 'hour' | 'day' | 'month';
type Window = readonly [
  key: string,
  unit: Unit,
  buckets: number,
  endsWith: 'the running one' | 'the one before it',
];

const WINDOWS: readonly Window[] = [
  ['24h', 'hour', 24, 'the one before it'],
  ['7d', 'hour', 168, 'the one before it'],
  ['30d', 'day', 30, 'the one before it'],
  ['1y', 'month', 12, 'the running one'],
  ['2y', 'month', 24, 'the running one'],
];

const ZONE = 'Europe/Berlin';
const INSTANTS: readonly (readonly [string, string])[] = [
  ['a full hour', '2026-11-20T13:00:00+01:00'],
  ['a local midnight', '2026-11-20T00:00:00+01:00'],
  ['the first of a month', '2026-11-01T00:00:00+01:00'],
  ['the hour after the one that the clocks skip in spring', '2026-03-29T03:00:00+02:00'],
  ['the midnight after the day of 23 hours', '2026-03-30T00:00:00+02:00'],
  ['the second of the two hours that share a name in autumn', '2026-10-25T02:00:00+01:00'],
  ['the midnight after the day of 25 hours', '2026-10-26T00:00:00+01:00'],
];
const [HOUR, DAY] = [3_600_000, 86_400_000];

/** The start of the bucket `steps` after the one that holds an instant. */
function step(unit: Unit, instant: number, steps: number): number {
  const start = bucketStart(ZONE, unit, instant);
  if (unit === 'hour') return start + steps * HOUR;
  const { year, month, day } = localDate(ZONE, start);
  return unit === 'day'
    ? instantOf(ZONE, year, month, day + steps)
    : instantOf(ZONE, year, month + steps, 1);
}

function expectedIn([, unit, buckets, endsWith]: Window, now: number): string[] {
  const last = endsWith === 'the running one' ? 0 : -1;
  return Array.from({ length: buckets }, (_, n) =>
    new Date(step(unit, now, last - buckets + 1 + n)).toISOString(),
  );
}

/**
 * Readings that fill every window and go beyond both of its ends: hours for a week, days for a
 * month, months for two years.
 */
function measuredAt(): number[] {
  const times = new Set<number>();
  for (const [, text] of INSTANTS) {
    const at = Date.parse(text);
    for (let hour = -170; hour <= 1; hour++) times.add(step('hour', at, hour) + HOUR / 2);
    for (let day = -32; day <= 1; day++) times.add(step('day', at, day) + DAY / 2);
    for (let month = -25; month <= 1; month++) times.add(step('month', at, month) + DAY / 2);
  }
  return [...times].sort((a, b) => a - b);
}

onEveryEngineInAll('history windows', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town'], { timeZone: ZONE }), ZONE);
    await here.accept(measuredAt().map((at) => reading(1, at, { pm25: 10 })));
    await here.refresh(new Date('2026-12-31T00:00:00Z'));
    return () => here.close();
  });

  it.each(
    INSTANTS.flatMap(([name, text]) => [
      [`exactly at ${name}`, Date.parse(text)] as const,
      [`one millisecond before ${name}`, Date.parse(text) - 1] as const,
    ]),
  )(
    'history windows hold every bucket from first to last and no other, %s (H1)',
    async (_, now) => {
      for (const path of ['station/1', 'region/town']) {
        const history = await here.get(`${path}-history.json`, new Date(now));
        for (const window of WINDOWS) {
          const [key] = window;
          const times = history[key].map(({ timestamp }: { timestamp: string }) =>
            new Date(timestamp).toISOString(),
          );
          expect(times, `${path} ${key}`).toEqual(expectedIn(window, now));
        }
      }
    },
  );

  it('history windows are queried again when an hour closes or the clock is set back, and not in between', async () => {
    const reads = apiOver(here.database.as('airseries_reader'));
    const asked: unknown[] = [];
    const counting = reads.withPlugin({
      transformQuery: ({ node }) => {
        asked.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const windowsAt = makeWindows(Object.assign(counting, { query: reads.query }));
    for (const [time, end, questions] of [
      ['13:10:00', '13:00', 1],
      ['13:59:59.999', '13:00', 1],
      ['14:00:00', '14:00', 2],
      ['13:30:00', '13:00', 3],
    ] as const) {
      const { bounds } = await windowsAt(new Date(`2026-11-20T${time}+01:00`));
      expect(new Date(bounds.until_24h)).toEqual(new Date(`2026-11-20T${end}:00+01:00`));
      expect(asked, time).toHaveLength(questions);
    }
  });

  it('history windows are the same in a session with any time zone, which Grafana may set (Z1, Z2)', async () => {
    const reader = here.database.as('airseries_reader', 'America/New_York');
    for (const [, text] of INSTANTS) {
      const rows =
        await reader`select series, "timestamp" from api.region_history(${new Date(text)}, 'town')`;
      for (const window of WINDOWS) {
        const times = rows
          .filter(({ series }) => series === window[0])
          .map((row) => new Date(row.timestamp).toISOString());
        expect(times.sort(), window[0]).toEqual(expectedIn(window, Date.parse(text)));
      }
    }
  });
});
