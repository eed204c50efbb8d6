/** The demo in a database: loaded, aggregated, fed after pauses, and removed without a trace. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import { connect, type Sql } from '../../../src/database/client.ts';
import { feedDemo, loadHistory } from '../../../src/extras/demo/feed.ts';
import {
  isDemo,
  isEmpty,
  loadDemoHistory,
  removeDemo,
  startDemo,
  startDemoHistory,
} from '../../../src/extras/demo/lifecycle.ts';
import { demoNetwork } from '../../../src/extras/demo/network.ts';
import { demoReadings } from '../../../src/extras/demo/readings.ts';
import { importNetwork } from '../../../src/network/importNetwork.ts';
import { LEVELS } from '../../../src/schema/aggregates.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { keepingLog } from '../../ingest/support.ts';
import { copyIn } from '../../support/copyIn.ts';
import {
  emptyDatabase,
  onEveryEngine,
  type TestDatabase,
  testDatabase,
} from '../../support/database.ts';

const DAY = 86_400_000;
const now = new Date('2026-11-20T12:00:00Z');
const since = new Date(now.getTime() - 31 * DAY);
/** As far back as the history goes where older readings are not kept: three pieces. */
const kept = new Date(now.getTime() - 160 * DAY);
const log = makeLog('error', false);

onEveryEngine('the demo', (engine) => {
  let db: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    sql = db.as();
  });
  afterAll(() => db.drop());

  const network = demoNetwork('Asia/Yerevan');
  const countRows = async () =>
    (await sql<{ n: number }[]>`select count(*)::int as n from raw.readings`)[0]?.n;
  const expected = (from: Date, to: Date) => [...demoReadings({ network, from, to })].flat().length;
  const refresh = async () => {
    await sql`call rollup.refresh(${now})`;
    expect(await sql`select * from logic.differences('-infinity', 'infinity')`).toEqual([]);
  };

  it('is loaded once, with every reading of a placed sensor', async () => {
    expect([await isEmpty(sql), await isDemo(sql)]).toEqual([true, false]);
    expect(await feedDemo(sql, now)).toBe(0);
    await importNetwork(sql, JSON.stringify(network), { log });
    expect([await isEmpty(sql), await isDemo(sql)]).toEqual([false, true]);
    const rows = await feedDemo(sql, now);
    expect(rows).toBe(expected(since, now));
    expect(await countRows()).toBe(rows);
    expect(await feedDemo(sql, now)).toBe(0);
    expect(
      await sql`select from raw.readings r
        where not exists (select from raw.placement p where p.sensor_id = r.sensor_id and r.measured_at >= p.since and r.measured_at < p.until)`,
    ).toEqual([]);
    await refresh();
  });

  it('gets no history with DEMO=off: a start says that it is there, and how to remove it', async () => {
    const log = keepingLog();
    const { lines } = log;
    const options = { timeZone: 'Asia/Yerevan', clock: () => now, log, terminal: false };
    expect(await startDemo(db.target, { ...options, demo: 'off' })).toBe(false);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringMatching(/DEMO=off.*the demo network.*demo --remove$/)],
    ]);
    for (const demo of ['on', undefined] as const)
      expect(await startDemo(db.target, { ...options, demo })).toBe(true);
    expect(lines).toHaveLength(1);
  });

  it('says in one line that the disk was full while its history loaded, and what to do', async () => {
    const full = `raise exception 'could not extend file "base/16384/2619": No space left on device' using errcode = '53100'`;
    await sql.unsafe(
      `create function raw.full() returns trigger language plpgsql as $$ begin ${full}; end $$`,
    );
    await sql.unsafe(
      'create trigger full_disk before insert on raw.readings for each row execute function raw.full()',
    );
    const lines = keepingLog();
    const options = { timeZone: 'Asia/Yerevan', clock: () => now, log: lines, terminal: false };
    const stop = startDemoHistory(db.target, options);
    const errors = () => lines.lines.filter(({ level }) => level === 'error');
    await expect.poll(errors).toHaveLength(1);
    await stop();
    expect(errors()[0]).toEqual({
      level: 'error',
      message: 'the history of the demo could not be loaded; the next start continues',
      fields: {
        reason: 'could not extend file "base/16384/2619": No space left on device',
        remedy: 'Make room there: what is stored is not lost.',
      },
    });
    await sql.unsafe('drop trigger full_disk on raw.readings; drop function raw.full()').simple();
  });

  it('begins with the epoch where that is later', async () => {
    const young = await emptyDatabase(engine);
    await migrate(young.target, { epoch: '2026-11-01', timeZone: 'Asia/Yerevan', now, log });
    const owner = connect(young.target, { role: 'airseries_owner', max: 2 });
    await importNetwork(owner, JSON.stringify(network), { log });
    expect(await feedDemo(owner, now)).toBe(expected(new Date('2026-10-31T20:00:00Z'), now));
    expect(await loadHistory(owner, now)).toBe(0);
    await owner.end();
    await young.drop();
  });

  it('reports a load that the database rejects, at its end or midway, and leaves nothing of it', async () => {
    const line = '2026-01-01T00:00:00Z\t11\t21.5\n';
    const statement = 'copy raw.readings (measured_at, sensor_id, temperature) from stdin';
    const before = await countRows();
    await expect(copyIn(sql, statement, [line, line])).rejects.toThrow('duplicate key');
    await expect(
      copyIn(sql, statement, ['nonsense\n'.repeat(300_000), line.repeat(300_000)]),
    ).rejects.toThrow();
    await expect(copyIn(sql, 'copy raw.nothing from stdin', [line])).rejects.toThrow('raw.nothing');
    expect(await countRows()).toBe(before);
  });

  it('is fed the readings that the history would have, by concurrent and repeated feeds', async () => {
    const later = new Date(now.getTime() + 3 * 3_600_000 + 100_000);
    const added = await Promise.all([feedDemo(sql, later), feedDemo(sql, later)]);
    expect(added[0] + added[1]).toBe(expected(now, later));
    expect(await feedDemo(sql, later)).toBe(0);
    const instants = [...demoReadings({ network, from: now, to: later })].flat();
    const stored = await sql<{ sensor: number; pm25: number | null }[]>`
      select sensor_id as sensor, pm25::float8 from raw.readings where measured_at > ${now} order by measured_at, sensor_id`;
    expect(stored.map(({ sensor }) => sensor)).toEqual(instants.map(({ sensorId }) => sensorId));
    const made = instants.map(({ values }) => values.pm25);
    expect(stored.map(({ pm25 }) => (pm25 === null ? undefined : Math.fround(pm25)))).toEqual(
      made.map((value) => (value === undefined ? undefined : Math.fround(value))),
    );
    await refresh();
  });

  it('catches up after nine days: hourly, and the last week every ten minutes', async () => {
    const [from, to] = [new Date(now.getTime() + 3 * 3_600_000), new Date(now.getTime() + 9 * DAY)];
    expect(await feedDemo(sql, to)).toBe(expected(from, to));
    const [row] = await sql`select max(measured_at) as newest from raw.readings`;
    expect(new Date(row?.newest)).toEqual(to);
    await refresh();
  });

  it('gets its history backwards, as far as readings are kept, and an aborted load continues at the next start', async () => {
    await sql`update raw.installation set ingest_cutoff = ${kept}`;
    const before = (await countRows()) ?? 0;
    const aborted = new AbortController();
    aborted.abort();
    expect(await loadHistory(sql, now, { signal: aborted.signal })).toBe(0);
    let pieces = 0;
    const afterOne = {
      get aborted() {
        return pieces++ > 0;
      },
    } as AbortSignal;
    const lines = keepingLog();
    const options = { timeZone: 'Asia/Yerevan', clock: () => now, log: lines, terminal: false };
    const first = await loadDemoHistory(db.target, options, afterOne);
    // besides its progress, which it tells every five seconds
    const outcome = () =>
      lines.lines.filter(({ message }) => message === 'the history of the demo is loaded');
    expect(outcome()).toEqual([]); // it is not loaded yet
    const later = new Date(now.getTime() + 3_600_000);
    const rest = await loadDemoHistory(db.target, { ...options, clock: () => later });
    expect(outcome()).toMatchObject([{ fields: { readings: rest } }]);
    expect([first, rest].every((rows) => rows > 0)).toBe(true);
    expect(await countRows()).toBe(before + first + rest);
    expect(first + rest).toBe(
      [...demoReadings({ network, from: kept, to: since, now })].flat().length,
    );
    expect(await loadHistory(sql, later)).toBe(0);
    await sql`update raw.installation set ingest_cutoff = '-infinity'`;
  });

  it('is not removed from a database with other providers', async () => {
    await sql`insert into raw.provider (id, title) values ('other', 'Other')`;
    await expect(removeDemo(db.target)).rejects.toThrow('other');
    await sql`delete from raw.provider where id = 'other'`;
    expect(await isDemo(sql)).toBe(true);
    expect(await countRows()).toBeGreaterThan(50_000);
  });

  it('is removed without a trace, also while it is fed', async () => {
    await sql`insert into rollup.digest (made_at, region_slug, station_count) values (${now}, 'velmora', 3)`;
    const later = new Date(now.getTime() + 9 * DAY + 3_600_000);
    const [, removed] = await Promise.all([feedDemo(sql, later), removeDemo(db.target)]);
    expect(removed).toBe(true);
    expect(await removeDemo(db.target)).toBe(false);
    expect(await feedDemo(sql, new Date(now.getTime() + 30 * DAY))).toBe(0);
    expect([await isEmpty(sql), await isDemo(sql)]).toEqual([true, false]);
    await refresh();
    const tables = [
      'raw.quarantine',
      'raw.placement',
      'raw.membership',
      'rollup.digest',
      ...LEVELS.map(({ name }) => `rollup.${name}`),
    ];
    for (const table of tables)
      expect([table, ...(await sql.unsafe(`select from ${table}`))]).toEqual([table]);
  });
});
