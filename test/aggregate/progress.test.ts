/**
 * A refresh, a rebuild and an audit that take long say how far they are: on a terminal in one line,
 * otherwise in the log.
 */
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { rebuild, refresh } from '../../src/aggregate/refresh.ts';
import type { Sql } from '../../src/database/client.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';

const DAYS = 61; // August and September

onEveryEngineInAll('long work', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    await bringIn(owner, smallNetwork());
    // as if there were so many readings that a piece is a day
    await owner`create or replace function logic.rows_per_hour(before timestamptz) returns bigint language sql as 'select 1000000'`;
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, 5 from generate_series(timestamptz '2026-08-01 00:00+04', '2026-08-01 00:00+04'::timestamptz + ${DAYS} * interval '1 day' - interval '1 hour', '1 hour') at`;
  });
  afterAll(() => database.drop());
  afterEach(() => vi.restoreAllMocks());

  /**
   * The logged lines while the clock of the progress runs so fast that each step comes five seconds
   * after the one before.
   */
  async function told(work: (watcher: Parameters<typeof refresh>[2]) => Promise<unknown>) {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 5_000;
      return now;
    });
    const { lines, ...log } = keepingLog();
    await work({ log, terminal: false });
    return lines.map(({ message, fields }) => ({ message, ...(fields as { hours: number }) }));
  }

  it.each<[string, string, (watcher: Parameters<typeof refresh>[2]) => Promise<unknown>]>([
    ['refresh', 'refreshing', (watcher) => refresh(database.target, () => NOW, watcher)],
    ['rebuild', 'recomputing', (watcher) => rebuild(database.target, () => NOW, {}, watcher)],
    [
      'audit',
      'auditing',
      (watcher) =>
        audit(database.target, {
          clock: () => NOW,
          timeZone: database.timeZone,
          ...(watcher && { watcher }),
        }),
    ],
  ])('a long %s logs the hours done, their rate and the time left', async (_, message, work) => {
    const lines = await told(work);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines[0]).toEqual({
      message,
      hours: expect.any(Number),
      hours_per_second: expect.any(Number),
      seconds_left: expect.any(Number),
    });
    const hours = lines.map((line) => line.hours);
    expect(hours).toEqual([...hours].sort((a, b) => a - b));
    expect(lines.at(-1)).toMatchObject({ hours: DAYS * 24, seconds_left: 0 });
    // the rebuild has lost nothing at the edges of its pieces
    expect(await owner`select * from logic.differences('-infinity', 'infinity')`).toEqual([]);
  });

  it('progress is one line on a terminal, which is cleared at the end', async () => {
    const written: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    await told(async () =>
      rebuild(database.target, () => NOW, {}, { log: keepingLog(), terminal: true }),
    );
    expect(written.find((text) => text.startsWith('recomputing'))).toMatch(
      /^recomputing: [\d,]+ hours, \d+ a second(, [\d:]+ left)?$/,
    );
    expect(written.at(-1)).toBe('\r\x1b[K');
  });
});
