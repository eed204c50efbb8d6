/** Quarantined readings are stored once their cause is removed, even if a retry is interrupted. */
import { beforeEach, expect, it } from 'vitest';
import type { Filter } from '../../../src/ingest/quarantine/list.ts';
import type { ReadingInput } from '../../../src/ingest/reading/reading.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll } from '../../support/database.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { reading, retry as retryIn, stored, useTown } from '../support.ts';

const T = '2026-11-20T10:00:00Z';
const at = (minutes: number) => new Date(Date.parse(T) + minutes * 60_000).toISOString();
const NONE = { retried: 0, accepted: 0, unchanged: 0, still_quarantined: 0, not_retryable: 0 };

/** The small network with more sensors at station 2. */
const grown = (...ids: number[]) =>
  smallNetwork({ two: { sensors: [3, ...ids].map((id) => ({ id })) } });

onEveryEngineInAll('retry', (engine) => {
  const town = useTown(engine);
  beforeEach(async () => {
    await town.owner`truncate raw.readings, raw.quarantine, raw.placement, raw.correction, raw.sensor_station, raw.suspicious_period,
      raw.screened_period, raw.sensor`;
    await town.owner`update raw.installation set ingest_cutoff = '-infinity'`;
    await bringIn(town.owner, smallNetwork());
  });

  const retry = (filter: Filter = {}, now = NOW) => retryIn(town.owner, filter, now);
  const accept = (readings: ReadingInput[], source = 'file.csv', provider?: string) =>
    town.accept(readings, source, provider);
  const lines = () =>
    town.owner`select source, provider_id, line, kind, reason, text from raw.quarantine order by id`;

  it('a retry tells readings apart that begin with the same 2,000 characters, and takes each once (S2)', async () => {
    const long = (minute: number, end: string) => ({
      ...reading(99, at(minute), { pm25: minute + 1 }),
      text: 'x'.repeat(2_500) + end,
    });
    const both = [long(0, 'a'), long(1, 'b')];
    await accept(both);
    await accept(both);
    expect(await lines()).toHaveLength(2);
    expect(await retry()).toMatchObject({ retried: 2, still_quarantined: 2 });
    expect(await lines()).toHaveLength(2);
    await bringIn(town.owner, grown(99));
    expect(await retry()).toMatchObject({ retried: 2, accepted: 2 });
    expect(await stored(town.owner)).toMatchObject([{ pm25: 1 }, { pm25: 2 }]);
    expect(await lines()).toEqual([]);
  });

  it('a retry stores the readings of a sensor that was added, and the aggregates follow', async () => {
    const values = { pm25: '14.2', temperature: 7.35, pressure: '9', wind_direction: '360' };
    const unknown = [
      reading(99, '2026-11-20T14:00:00.123456+04:00', values, 12),
      reading('99', at(10), { pm10: 3 }, 13),
      reading(98, T, { pm10: 4 }, 14),
    ];
    await accept([...unknown, reading(1, T, { pm25: 20 })]);
    expect(await differences(town.db)).toEqual([]);
    expect(await retry()).toEqual({ ...NONE, retried: 3, still_quarantined: 3 });
    expect(await lines()).toHaveLength(3);

    await bringIn(town.owner, grown(99));
    expect(await retry()).toEqual({ ...NONE, retried: 3, accepted: 2, still_quarantined: 1 });
    expect((await stored(town.owner)).slice(1)).toMatchObject([
      { sensor_id: 99, pm25: 14.2, temperature: 7.35, pressure: null, wind_direction: 0 },
      { sensor_id: 99, pm10: 3, pm25: null },
    ]);
    const [exact] = await town.owner`
      select count(*)::int as n from raw.readings where sensor_id = 99 and measured_at = '2026-11-20 10:00:00.123456+00'`;
    expect(exact).toEqual({ n: 1 });
    expect(await lines()).toMatchObject([
      { line: '14', reason: 'unknown_sensor', text: unknown[2]?.text },
      { line: '12', kind: 'value', reason: 'out_of_bounds:pressure', text: unknown[0]?.text },
    ]);
    expect(await differences(town.db)).toEqual([]);
    const [hour] =
      await town.owner`select pm25 from rollup.region_hourly where region_slug = 'town'`;
    expect(hour?.pm25).toBeCloseTo(17.1, 5);
    expect(await retry()).toEqual({ ...NONE, retried: 1, still_quarantined: 1, not_retryable: 1 });
  });

  it('a retry that is interrupted between storing and deleting loses nothing', async () => {
    await accept(
      [99, 98].flatMap((sensor) => [0, 1, 2].map((n) => reading(sensor, at(n), { pm25: n }))),
    );
    await bringIn(town.owner, grown(99));
    await town.owner.unsafe(`
      create function raw.interrupt() returns trigger language plpgsql as $$ begin raise 'interrupted'; end $$;
      create trigger interrupt before delete on raw.quarantine execute function raw.interrupt()`);
    await expect(retry()).rejects.toThrow('interrupted');
    await town.owner`drop function raw.interrupt cascade`;
    expect([(await stored(town.owner)).length, (await lines()).length]).toEqual([3, 6]);
    const before = await stored(town.owner);
    expect(await retry()).toEqual({ ...NONE, retried: 6, unchanged: 3, still_quarantined: 3 });
    expect(await stored(town.owner)).toEqual(before);
    expect(await lines()).toHaveLength(3);
    expect(await differences(town.db)).toEqual([]);
  });

  it('a retried reading that is rejected for another reason is recorded again, with its provider and source', async () => {
    const early = reading(99, at(-1_000_000), { pm25: 1 }, 7);
    await accept([early], 'us', 'us');
    await accept([early], 'us again', 'us'); // the same line is there already
    await bringIn(town.owner, grown(99));
    await town.owner`update raw.installation set ingest_cutoff = '2026-01-01'`;
    expect(await retry()).toEqual({ ...NONE, retried: 1, still_quarantined: 1 });
    const expected = {
      source: 'us',
      provider_id: 'us',
      line: '7',
      kind: 'reading',
      reason: 'older_than_retention',
    };
    expect(await lines()).toEqual([{ ...expected, text: early.text }]);
    await town.owner`update raw.installation set ingest_cutoff = '-infinity'`;
    expect(await retry({ reason: 'unknown_sensor' })).toEqual(NONE);
    expect(await retry()).toEqual({ ...NONE, retried: 1, accepted: 1 });
    expect(await lines()).toEqual([]);
  });

  it('a retry takes whole readings that could be parsed, and leaves everything else', async () => {
    const garbage: ReadingInput = {
      sensorId: undefined,
      measuredAt: undefined,
      values: {},
      text: 'garbage',
      unreadable: true,
    };
    await accept([
      garbage,
      reading(1, 'then', { pm25: 1 }),
      reading(1, T, { pm25: 9_999 }),
      reading(1, at(1), { pm25: 1, pm10: 'x' }),
    ]);
    // the reading without a value is tried, and its value and the other one are not
    expect(await retry()).toEqual({ ...NONE, retried: 1, still_quarantined: 1, not_retryable: 4 });
    expect(await lines()).toHaveLength(5);
  });

  it('a retry takes only the lines that match the filter', async () => {
    await accept([reading(99, at(0), { pm25: 1 }), reading(1, at(600), { pm25: 1 })], 'a');
    await accept([reading(99, at(1), { pm25: 1 })], 'b');
    await accept([reading(99, at(2), { pm25: 1 })], 'us', 'us');
    await bringIn(town.owner, grown(99));
    const left = async (filter: Filter) => {
      const { accepted } = await retry(filter);
      return [accepted, (await lines()).length];
    };
    expect(await left({ source: 'c' })).toEqual([0, 4]);
    expect(await left({ provider: 'us' })).toEqual([1, 3]);
    expect(await left({ provider: '', source: 'b', reason: 'in_the_future' })).toEqual([0, 3]);
    expect(await left({ provider: '', source: 'b' })).toEqual([1, 2]);
    expect(await left({ reason: 'unknown_sensor' })).toEqual([1, 1]);
  });

  it('a retry stores nothing that the sender is not authorized for', async () => {
    const given = [
      reading(99, at(0), { pm25: 1 }),
      reading(98, at(0), { pm25: 1 }),
      reading(98, at(60), { pm25: 2 }),
      reading(97, at(0), { pm25: 3 }),
    ];
    for (const each of given) await accept([each], 'us', 'us');
    const network = grown(99);
    const theirs = { id: 'them', title: 'Them' };
    const three = {
      id: 3,
      provider: 'them',
      title: { en: 'Three' },
      latitude: 40,
      longitude: 44,
      regions: ['town'],
      sensors: [
        {
          id: 98,
          stations: [
            { id: 3, until: at(30) },
            { id: 2, since: at(30) },
          ],
        },
      ],
    };
    await bringIn(town.owner, {
      ...network,
      providers: [...network.providers, theirs],
      stations: [...network.stations, three],
    });
    expect(await retry()).toEqual({ ...NONE, retried: 4, accepted: 2, still_quarantined: 2 });
    expect(await lines()).toMatchObject([
      { provider_id: 'us', reason: 'unknown_sensor', text: given[1]?.text },
      { provider_id: 'us', reason: 'unknown_sensor', text: given[3]?.text },
    ]);
    expect((await stored(town.owner)).map(({ sensor_id, pm25 }) => [sensor_id, pm25])).toEqual([
      [98, 2],
      [99, 1],
    ]);
    expect(await differences(town.db)).toEqual([]);
  });

  it('the later of two retried readings for one time wins, whichever source it is from', async () => {
    for (const [source, pm25] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
      ['b', 4],
      ['a', 5],
    ] as const) {
      await accept([reading(99, T, { pm25 })], source);
    }
    await accept([reading(99, at(1), { pm25: 6 })], 'b'); // so that b is retried first
    await bringIn(town.owner, grown(99));
    expect(await retry()).toEqual({ ...NONE, retried: 6, accepted: 2, unchanged: 4 });
    expect((await stored(town.owner)).map(({ pm25 }) => pm25)).toEqual([5, 6]);
    expect(await lines()).toEqual([]);
  });

  it('equal lines of two senders are retried separately, each with its own authorization', async () => {
    const same = reading(99, T, { pm25: 3 });
    await accept([same]);
    await accept([same], 'feed', 'us');
    await acceptReadings(town.ingest, [same], {
      now: NOW,
      source: 'roof',
      scope: { provider: 'us', stations: [1] },
    });
    expect(await lines()).toHaveLength(2); // one line is enough for two tokens of one provider
    await town.owner`delete from raw.quarantine where provider_id is null`;
    await town.owner`update raw.quarantine set stations = '{1}'`;
    await bringIn(town.owner, grown(99)); // at station 2
    expect(await retry()).toEqual({ ...NONE, retried: 1, still_quarantined: 1 });
    await town.owner`update raw.quarantine set stations = '{2}'`;
    expect(await retry()).toEqual({ ...NONE, retried: 1, accepted: 1 });
  });

  it('a retry stores more lines than fit into one page', async () => {
    const many = Array.from({ length: 1_050 }, (_, n) => reading(99, at(-n), { pm25: n % 50 }));
    await accept(many);
    await bringIn(town.owner, grown(99));
    expect(await retry()).toEqual({ ...NONE, retried: 1_050, accepted: 1_050 });
    expect(await differences(town.db)).toEqual([]);
  });
});
