/** Rows in the binary format of COPY give the same rows as text does. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeBinaryRows } from '../../src/database/binaryRows.ts';
import type { Sql } from '../../src/database/client.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { copyIn } from './copyIn.ts';

onEveryEngineInAll('binary rows', (engine) => {
  let db: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    sql = db.as();
    await sql`create table rollup.given (at timestamptz, ordinal int, id int, empty int, a real, b real)`;
    await sql`create table rollup.text (like rollup.given)`;
  });
  afterAll(() => db.drop());

  type Row = [time: string, id: number, a: string, b: string];

  async function expectSame(rows: readonly Row[]) {
    await sql`truncate rollup.given, rollup.text`;
    const binary = makeBinaryRows(2);
    for (const [time, id, ...values] of rows) {
      const [whole = '', micros = ''] = time.split('.');
      const seconds = Date.parse(`${whole}Z`) / 1_000;
      const numbers = values.map((one) => (one === '\\N' ? null : Math.fround(Number(one))));
      const at = seconds * 1e6 + Number(micros.padEnd(6, '0'));
      binary.add({ time: at, ids: [7, id, 0], values: numbers });
    }
    await copyIn(sql, 'copy rollup.given from stdin (format binary)', binary.bytes());
    const lines = rows.map(
      ([time, id, ...others]) => `${[`${time}Z`, 7, id, 0, ...others].join('\t')}\n`,
    );
    await copyIn(sql, 'copy rollup.text from stdin', lines);
    const [found] = await sql`
      select (select jsonb_agg(g::text) from rollup.given g) is not distinct from (select jsonb_agg(t::text) from rollup.text t) as same,
        (select count(*)::int from rollup.given) as count`;
    expect(found).toEqual({ same: true, count: rows.length });
  }

  it('binary rows keep times on both sides of 1970 and 2000, signs, ends of ranges and nulls', () =>
    expectSame([
      ['2026-11-20T10:00:00.000001', 1, '12.3', '\\N'],
      ['2026-11-20T10:00:00.999999', 2_147_483_647, '\\N', '\\N'],
      ['2000-01-01T00:00:00', 3, '0', '-0'],
      ['1999-12-31T23:59:59.999999', 4, '-40.05', '1e-30'],
      ['1969-12-31T23:59:59.5', 5, '16777217', '3.4e38'],
      ['2071-08-11T07:09:12.345678', 6, '0.1', '1100.25'],
    ]));

  it('binary rows are complete in any number of chunks, full or not', async () => {
    const row = (n: number): Row => [
      new Date(n * 1_000).toISOString().slice(0, 19),
      n,
      n % 3 === 0 ? '\\N' : String(n / 8),
      '1',
    ];
    for (const count of [0, 999, 1_000, 1_001, 2_500])
      await expectSame(Array.from({ length: count }, (_, n) => row(n)));
  });
});
