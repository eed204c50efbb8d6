/** COPY while this process computes its rows, and how it fails. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { copyIn } from './copyIn.ts';

onOneEngine('COPY', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine);
  });
  afterAll(() => database.drop());

  it('COPY gives the event loop a turn after each chunk, so that answers to probes are read', async () => {
    const sql = database.as();
    await sql`create table rollup.numbers (n int)`;
    let turns = 0;
    const seen: number[] = [];
    function* chunks() {
      for (let n = 0; n < 20; n++) {
        setImmediate(() => {
          turns += 1;
        });
        seen.push(turns);
        yield `${n}\n`;
      }
    }
    await copyIn(sql, 'copy rollup.numbers from stdin', chunks());
    // each chunk is computed after the turn of the chunk before the last
    expect(seen.every((count, n) => count >= n - 1)).toBe(true);
    expect(await sql`select from rollup.numbers`).toHaveLength(20);
  });

  it('a COPY that the database rejects, at its end or midway, fails and leaves no row', async () => {
    const sql = database.as();
    const line = '2026-01-01T00:00:00Z\t11\t21.5\n';
    const statement = 'copy raw.readings (measured_at, sensor_id, temperature) from stdin';
    const midway = ['nonsense\n'.repeat(300_000), line.repeat(300_000)];
    await expect(copyIn(sql, statement, [line, line])).rejects.toThrow('duplicate key');
    await expect(copyIn(sql, statement, midway)).rejects.toThrow('"nonsense"');
    const afterwards = Array(20_000).fill('nonsense\n'); // the stream is destroyed by then
    await expect(copyIn(sql, statement, afterwards)).rejects.toThrow('"nonsense"');
    await expect(copyIn(sql, 'copy raw.nothing from stdin', [line])).rejects.toThrow('raw.nothing');
    expect(await sql`select from raw.readings`).toEqual([]);
  });
});
