/**
 * Any few sources, files and pushes, and one of the files undone: what is stored is what the rules
 * say, in a model of a few lines (S3, S11, A6).
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { undoImport } from '../../../src/ingest/store/imports.ts';
import { differences } from '../../aggregate/differences.ts';
import { withAmounts } from '../../aggregate/literal.ts';
import { NOW } from '../../support/clock.ts';
import { isAll, onEveryEngineInAll } from '../../support/database.ts';
import { importAnything } from '../../support/importAnything.ts';
import { file, reading, useTown } from '../support.ts';

const NAMES = ['pm25', 'pm10', 'rain', 'rain_total'] as const;
type Values = Partial<Record<(typeof NAMES)[number], number | null>>;
type Row = { sensor: number; hour: number; values: Values };
type Source = { isFile: boolean; rows: Row[] };

const timeOf = (hour: number) => `2026-11-20T0${hour}:00:00.000Z`;

// -- the rules --

/** By sensor, hour and parameter. */
type Model = Map<string, number>;
type Change = { key: string; before: number | undefined; after: number | undefined };

function setValue(model: Model, key: string, value: number | undefined): void {
  if (value === undefined) model.delete(key);
  else model.set(key, value);
}

/** S3: of each parameter the last value of the source; withdrawn, if it only leaves it empty. */
function bring(model: Model, rows: readonly Row[]): Change[] {
  const given = new Map<string, number | null>();
  for (const { sensor, hour, values } of rows)
    for (const [name, value = null] of Object.entries(values)) {
      const key = `${sensor} ${hour} ${name}`;
      given.set(key, value ?? given.get(key) ?? null);
    }
  return [...given].flatMap(([key, value]) => {
    const [before, after] = [model.get(key), value ?? undefined];
    setValue(model, key, after);
    return before === after ? [] : [{ key, before, after }];
  });
}

/** S11: what was changed since stays. Returns the number of values that do. */
function takeBack(model: Model, changes: readonly Change[]): number {
  const own = changes.filter(({ key, after }) => model.get(key) === after);
  for (const { key, before } of own) setValue(model, key, before);
  return changes.length - own.length;
}

/** Readings with the rain that follows from totals. */
function readingsOf(model: Model) {
  const readings = new Map<
    string,
    { sensor: number; at: number; values: Record<string, number> }
  >();
  for (const [key, value] of model) {
    const [sensor, hour, name] = key.split(' ') as [string, string, string];
    const at = Date.parse(timeOf(Number(hour)));
    const one = readings.get(`${sensor} ${at}`) ?? { sensor: Number(sensor), at, values: {} };
    one.values[name] = value;
    readings.set(`${sensor} ${at}`, one);
  }
  return withAmounts([...readings.values()])
    .map(({ sensor, at, values }) => ({
      sensor,
      at,
      ...Object.fromEntries(NAMES.map((name) => [name, values[name] ?? null])),
    }))
    .sort((a, b) => a.sensor - b.sensor || a.at - b.at);
}

// -- any input --

const value = fc.constantFrom(null, 0, 1, 2);
const row: fc.Arbitrary<Row> = fc.record({
  sensor: fc.constantFrom(1, 2),
  hour: fc.constantFrom(1, 2),
  values: fc.record(
    { pm25: value, pm10: value, rain: value, rain_total: value },
    { requiredKeys: [] },
  ),
});
const source: fc.Arbitrary<Source> = fc.record({
  isFile: fc.boolean(),
  rows: fc.array(row, { minLength: 1, maxLength: 5 }),
});

onEveryEngineInAll('undo', (engine) => {
  const town = useTown(engine);

  const stored = async () =>
    (
      await town.owner`select sensor_id as sensor, extract(epoch from measured_at)::float8 * 1000 as at, ${town.owner([...NAMES])}
        from raw.readings order by 1, 2`
    ).map((one) => ({ ...one }));

  async function send({ isFile, rows }: Source): Promise<void> {
    if (!isFile) {
      const readings = rows.map(({ sensor, hour, values }) =>
        reading(sensor, timeOf(hour), values),
      );
      await town.accept(readings);
      return;
    }
    const lines = rows.map(({ sensor, hour, values }) =>
      JSON.stringify({ sensor_id: sensor, time: timeOf(hour), ...values }),
    );
    await importAnything(town.ingest, file('readings.ndjson', `${lines.join('\n')}\n`), NOW);
  }

  it('any two to four sources, of which one is undone, leave what the rules say (S3, S11)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(source, { minLength: 2, maxLength: 4 }),
        fc.nat(3),
        async (sources, which) => {
          await town.owner`truncate raw.readings, raw.quarantine, raw.import, raw.rain_gauge restart identity cascade`;
          const model: Model = new Map();
          const files: Change[][] = [];
          for (const one of sources) {
            await send(one);
            const changes = bring(model, one.rows);
            if (one.isFile) files.push(changes);
            expect(await stored()).toEqual(readingsOf(model));
          }
          const changes = files[which % files.length];
          if (changes === undefined || changes.length === 0) return;
          const number = (which % files.length) + 1;
          const kept = takeBack(model, changes);
          const undone = await undoImport(town.ingest, number, NOW);
          expect(undone.kept.reduce((sum, { values }) => sum + values, 0)).toBe(kept);
          expect(await stored()).toEqual(readingsOf(model));
          // undone twice is undone once
          expect(await undoImport(town.ingest, number, NOW)).toMatchObject({
            readings: 0,
            kept: [],
          });
          expect(await stored()).toEqual(readingsOf(model));
        },
      ),
      { numRuns: isAll ? 40 : 6 },
    );
    expect(await differences(town.db)).toEqual([]);
  });
});
