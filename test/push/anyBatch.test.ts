/** Random batches: every reading is accounted for, and the aggregates match the readings (S2, S3, A10). */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PARAMETERS } from '../../src/contract/parameters.ts';
import { openIngestPool } from '../../src/database/pools.ts';
import type { QueryPool } from '../../src/database/queryPool.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { makeIngestApp } from '../../src/push/app.ts';
import { createToken } from '../../src/push/tokens.ts';
import { bringIn, differences, keepingLog, NOW, smallNetwork } from '../ingest/support.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

const BATCHES = 400;

const sensor = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<unknown>(1, 2, 3, '1') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(99, 0, -1, 1.5, '01', null, {}, 2 ** 40, undefined) },
);
/** Few enough to meet again: the same reading twice, and a corrected one. */
const time = fc.oneof(
  { weight: 6, arbitrary: fc.nat(300).map((n) => new Date(NOW.getTime() - n * 1_200_000).toISOString()) },
  { weight: 1, arbitrary: fc.nat(20_000).map((n) => new Date(NOW.getTime() - n * 3_600_000).toISOString()) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      '2026-11-20T12:05:00Z',
      '2026-11-20T12:05:01Z',
      '1999-12-31T23:59:59Z',
      '2026-11-20T15:00:00',
      '2026-11-20 11:00:00+04',
      '2026-02-30T00:00:00Z',
      'yesterday',
      1_763_640_000,
      null,
    ),
  },
);
const value = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 50 }) },
  { weight: 2, arbitrary: fc.double({ min: 0, max: 60, noNaN: true }).map(String) },
  // wrong units (kelvin, hPa), wrong types, nothing, more than everything
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(293.15, 1013.25, 'NaN', '', 'wet', null, true, [], {}, 1e300, '1e999', -0),
  },
);
const reading = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(
        sensor,
        time,
        fc.dictionary(fc.constantFrom(...PARAMETERS.map(({ name }) => name), 'battery', '__proto__'), value, {
          maxKeys: 5,
        }),
      )
      .map(([sensor_id, measured_at, values]) => ({ sensor_id, measured_at, ...values })),
  },
  // the same again and again
  {
    weight: 4,
    arbitrary: fc.nat(60).map((n) => ({
      sensor_id: (n % 3) + 1,
      time: new Date(NOW.getTime() - n * 3_600_000 - 1).toISOString(),
      pm10: n,
    })),
  },
  { weight: 1, arbitrary: fc.anything() },
);

onEveryEngine('any batch', (engine) => {
  let db: TestDatabase;
  let writes: QueryPool;
  let server: Listening;
  let token: string;
  beforeAll(async () => {
    db = await testDatabase(engine);
    const owner = db.as();
    await bringIn(
      owner,
      smallNetwork({ sensor: { correction: 'epa-2021' }, one: { is_bad_thp: [{ since: '2026-11-19' }] } }),
    );
    ({ token } = await createToken(owner, { name: 'all', provider: 'us', stations: null, now: NOW }));
    writes = openIngestPool(db.target, { timeZone: db.timeZone });
    const app = makeIngestApp({ writes, clock: () => NOW, log: keepingLog(), rate: 1_000_000 });
    server = await listen(app, { port: 0, variable: 'INGEST_PORT' });
  });
  afterAll(async () => {
    await server.close({ drainMs: 0 });
    await writes.close();
    await db.drop();
  });

  it(`accounts for every reading of ${BATCHES} batches`, { timeout: 300_000 }, async () => {
    const seen = { 200: 0, 400: 0, 422: 0 };
    const total = { received: 0, accepted: 0, unchanged: 0, quarantined: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(reading, { maxLength: 25 }), async (batch) => {
        const answer = await fetch(`http://localhost:${server.port}/v1/readings`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(batch),
        });
        const body = (await answer.json()) as {
          received: number;
          accepted: number;
          unchanged: number;
          quarantined: unknown[];
        };
        seen[answer.status as keyof typeof seen] += 1;
        if (answer.status === 400) return;
        const isUsable = body.received === 0 || body.accepted + body.unchanged > 0;
        expect(answer.status).toBe(isUsable ? 200 : 422);
        expect(body.received).toBe(batch.length);
        expect(body.accepted + body.unchanged + body.quarantined.length).toBe(body.received);
        total.received += body.received;
        total.accepted += body.accepted;
        total.unchanged += body.unchanged;
        total.quarantined += body.quarantined.length;
      }),
      { numRuns: BATCHES, seed: 20_261_121 },
    );
    // every outcome occurred often
    expect(seen[200] + seen[422]).toBeGreaterThan(0.9 * BATCHES);
    expect(Math.min(total.accepted, total.unchanged, total.quarantined)).toBeGreaterThan(0.5 * BATCHES);
    expect(await differences(db)).toEqual([]);
    const [stored] = await db.as()`
      select (select count(*)::int from raw.readings) as n,
        (select count(*)::int from rollup.station_hourly h join raw.membership m on m.station_id = h.station_id
          where m.is_flagged and h.bucket >= m.since and h.bucket < m.until and h.temperature is not null) as flagged,
        (select count(*)::int from rollup.station_hourly where station_id = 1 and pm25 <> pm25_raw) as corrected`;
    expect(stored?.n).toBeLessThanOrEqual(total.accepted);
    expect(Math.min(stored?.flagged, stored?.corrected)).toBeGreaterThan(10);
  });
});
