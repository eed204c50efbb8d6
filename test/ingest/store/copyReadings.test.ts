/**
 * COPY while others write too: the database may change between validating a batch and storing it.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import type { ReadingInput } from '../../../src/ingest/reading/reading.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { type Batch, type Copier, makeCopier } from '../../../src/ingest/store/copyReadings.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../../support/database.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { reading } from '../support.ts';

onEveryEngine('a copied batch', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    ingest = db.as('airseries_ingest');
    await bringIn(owner, smallNetwork());
  });
  beforeEach(() => owner`truncate raw.readings, raw.quarantine`);
  afterAll(() => db.drop());

  const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00Z`;

  async function checked(copier: Copier, readings: ReadingInput[]): Promise<Batch> {
    await copier.add(readings, NOW);
    return copier.take() as Batch;
  }

  it('a copied batch is stored correctly after another writer was faster (S3)', async () => {
    const copier = makeCopier(ingest);
    const mine = [1, 2, 3].map((minute) => reading(1, at(minute), { pm25: minute }));
    const prepared = await checked(copier, mine);
    expect([prepared.lines.length, prepared.others]).toEqual([3, []]);
    const theirs = [reading(1, at(1), { pm25: 1 }), reading(1, at(2), { pm25: 99 })];
    await acceptReadings(ingest, theirs, { now: NOW, source: 'another writer' });
    expect(await copier.store(prepared, 'file')).toMatchObject({
      received: 3,
      accepted: 2,
      unchanged: 1,
    });
    expect(await owner`select pm25 from raw.readings order by measured_at`).toEqual([
      { pm25: 1 },
      { pm25: 2 },
      { pm25: 3 },
    ]);
    expect(await differences(db)).toEqual([]);
  });

  it('a copied batch stores every value of its readings, although later ones have other parameters (S3)', async () => {
    const parts = [
      [
        reading(1, at(1), { pm25: '12.3', temperature: -4.05 }, 1),
        reading(2, at(1), { pm25: '7' }, 2),
      ],
      [
        reading(1, at(2), { humidity: 99.9, pm25: '0.001' }, 3),
        reading(1, at(2), { humidity: 98.76543 }, 4),
        reading(1, '2026-11-20T10:03:00.123456Z', { pressure: 101325.6 }, 5),
      ],
    ];
    const stored = async (isRefused: boolean) => {
      await owner`truncate raw.readings`;
      const copier = makeCopier(ingest);
      for (const part of parts) await copier.add(part, NOW);
      if (isRefused) {
        const theirs = [reading(2, at(1), { pm25: 1 })];
        await acceptReadings(ingest, theirs, { now: NOW, source: 'another writer' });
      }
      const outcome = await copier.store(copier.take() as Batch, 'file');
      expect(outcome).toMatchObject({ received: 5, accepted: 5, quarantined: [], values: [] });
      expect(outcome.readings.map(({ line }) => line)).toEqual(isRefused ? [1, 2, 3, 5, 4] : [4]);
      const { oldest, newest } = outcome.span;
      expect([oldest, newest]).toEqual([Date.parse(at(1)) * 1e3, Date.parse(at(3)) * 1e3 + 123456]);
      return await owner`
        select sensor_id, measured_at::text, pm25, temperature, humidity, pressure from raw.readings order by 1, 2`;
    };
    const copied = await stored(false);
    expect(copied).toEqual([
      expect.objectContaining({ sensor_id: 1, pm25: 12.3, temperature: -4.05, humidity: null }),
      expect.objectContaining({ pm25: expect.closeTo(0.001), humidity: 98.76543 }),
      expect.objectContaining({ pressure: 101325.6, humidity: null }),
      expect.objectContaining({ sensor_id: 2, pm25: 7 }),
    ]);
    expect(await stored(true)).toEqual(copied);
  });

  it('a copied batch is full at its size, at 10,000 unusable readings, and at 4,000,000 characters of them', async () => {
    const second = (n: number) =>
      new Date(Date.parse(at(0)) - 50_000_000 + n * 1_000).toISOString();
    const many = (count: number, values: ReadingInput['values'], text = '') =>
      Array.from({ length: count }, (_, n) => ({ ...reading(1, second(n), values), text }));
    const cases = [
      many(25_000, { pm25: 1 }),
      many(10_000, { pm25: 'none' }),
      many(100, { pm25: 'none' }, 'x'.repeat(40_000)),
    ];
    for (const [last, ...others] of cases.map((all) => all.toReversed())) {
      const copier = makeCopier(ingest);
      expect(copier.take()).toBeUndefined();
      await copier.add(others.toReversed(), NOW);
      expect(copier.isFull(25_000)).toBe(false);
      await copier.add([last as ReadingInput], NOW);
      expect(copier.isFull(25_000)).toBe(true);
      copier.take();
      expect(copier.isFull(25_000)).toBe(false);
    }
  });

  it('a copied batch is validated again if the ingest cutoff was raised in between (S2)', async () => {
    const copier = makeCopier(ingest);
    const old = reading(1, '2026-01-15T00:00:00Z', { pm25: '12.3', humidity: 99.9 }, 1);
    const prepared = await checked(copier, [old, reading(1, at(1), { pm25: 2 }, 2)]);
    await owner`call logic.raise_ingest_cutoff('2026-02-01')`;
    expect(await copier.store(prepared, 'file')).toMatchObject({
      accepted: 1,
      quarantined: [{ index: 0, reason: 'older_than_retention' }],
    });
    const text =
      '{"sensor_id":1,"measured_at":"2026-01-15T00:00:00.000000Z","humidity":99.9,"pm25":12.3}';
    expect(await owner`select line::int, reason, text from raw.quarantine`).toEqual([
      { line: 1, reason: 'older_than_retention', text },
    ]);
    await owner`update raw.installation set ingest_cutoff = '-infinity'`;
  });

  it('the later of two copied readings for one time wins, even if the earlier has an unusable value (S3)', async () => {
    const copier = makeCopier(ingest);
    const batch = [
      reading(1, at(1), { pm25: 5, temperature: 400 }),
      reading(1, at(1), { pm25: 7 }),
    ];
    expect(await copier.store(await checked(copier, batch), 'file')).toMatchObject({
      received: 2,
      accepted: 2,
    });
    expect(await owner`select pm25 from raw.readings`).toEqual([{ pm25: 7 }]);
  });

  it('a copied batch counts readings of a sensor that was at no station then', async () => {
    await bringIn(owner, smallNetwork({ sensor: { stations: [{ id: 1, since: at(5) }] } }));
    const copier = makeCopier(ingest);
    const prepared = await checked(
      copier,
      [1, 4, 5].map((minute) => reading(1, at(minute), { pm25: 1 })),
    );
    expect(await copier.store(prepared, 'file')).toMatchObject({ accepted: 3, withoutStation: 2 });
    await bringIn(owner, smallNetwork());
  });

  it('a copied batch finds a sensor that was added since the batch before', async () => {
    const copier = makeCopier(ingest);
    const first = await copier.store(
      await checked(copier, [reading(7, at(1), { pm25: 1 })]),
      'file',
    );
    expect(first.quarantined).toEqual([{ index: 0, reason: 'unknown_sensor' }]);
    await bringIn(owner, smallNetwork({ two: { sensors: [{ id: 3 }, { id: 7 }] } }));
    const second = await copier.store(
      await checked(copier, [reading(7, at(2), { pm25: 1 })]),
      'file',
    );
    expect(second).toMatchObject({ accepted: 1, withoutStation: 0, quarantined: [] });
  });

  it('a copied batch records each unusable value and reading once, and the sum holds (S2)', async () => {
    const batch = [
      reading(1, at(1), { pm25: 5, temperature: 400 }, 1),
      reading(1, at(2), { temperature: 'warm' }, 2),
      reading(1, 'yesterday', { pm25: 5 }, 3),
      reading(1, '1999-01-01T00:00:00Z', { pm25: 5 }, 4),
      reading(1, '2030-01-01T00:00:00Z', { pm25: 5 }, 5),
      reading(99, at(1), { pm25: 5 }, 6),
    ];
    const copy = async () => {
      const copier = makeCopier(ingest);
      return await copier.store(await checked(copier, batch), 'file');
    };
    const outcome = await copy();
    expect(outcome).toMatchObject({ received: 6, accepted: 1, unchanged: 0 });
    expect(outcome.quarantined.map(({ reason }) => reason)).toEqual([
      'no_value',
      'unreadable_time',
      'before_epoch',
      'in_the_future',
      'unknown_sensor',
    ]);
    expect(await copy()).toMatchObject({ received: 6, accepted: 0, unchanged: 1 });
    expect(await owner`select line::int, kind, reason from raw.quarantine order by 1, 2`).toEqual([
      { line: 1, kind: 'value', reason: 'out_of_bounds:temperature' },
      { line: 2, kind: 'reading', reason: 'no_value' },
      { line: 2, kind: 'value', reason: 'unreadable:temperature' },
      { line: 3, kind: 'reading', reason: 'unreadable_time' },
      { line: 4, kind: 'reading', reason: 'before_epoch' },
      { line: 5, kind: 'reading', reason: 'in_the_future' },
      { line: 6, kind: 'reading', reason: 'unknown_sensor' },
    ]);
  });
});
