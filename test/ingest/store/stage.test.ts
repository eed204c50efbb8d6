/** A staged source: the network and the readings may change before it is stored. */
import { expect, it } from 'vitest';
import { withStage } from '../../../src/ingest/store/stage.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll } from '../../support/database.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { reading, storeStaged, useTown } from '../support.ts';

onEveryEngineInAll('a staged source', (engine) => {
  const town = useTown(engine);

  const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00Z`;

  it('a staged source is compared with what another writer has stored meanwhile (S3)', async () => {
    const mine = [1, 2, 3].map((minute) => reading(1, at(minute), { pm25: minute }));
    const theirs = [reading(1, at(1), { pm25: 1 }), reading(1, at(2), { pm25: 99 })];
    const meanwhile = () => town.accept(theirs);
    const expected = { received: 3, accepted: 2, unchanged: 1, replaced: 1 };
    expect(await storeStaged(town.ingest, [mine], meanwhile)).toMatchObject(expected);
    expect(await town.owner`select pm25 from raw.readings order by measured_at`).toEqual([
      { pm25: 1 },
      { pm25: 2 },
      { pm25: 3 },
    ]);
    expect(await differences(town.db)).toEqual([]);
  });

  it('every value is staged, although later readings have other parameters (S3)', async () => {
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
    const { staged, ...outcome } = await storeStaged(town.ingest, parts);
    expect(outcome).toMatchObject({ received: 5, accepted: 5, refused_ordinals: [] });
    const { oldest, newest } = staged.span;
    expect([oldest, newest]).toEqual([Date.parse(at(1)) * 1e3, Date.parse(at(3)) * 1e3 + 123456]);
    expect(
      await town.owner`select sensor_id, measured_at::text, pm25, temperature, humidity, pressure from raw.readings order by 1, 2`,
    ).toEqual([
      expect.objectContaining({ sensor_id: 1, pm25: 12.3, temperature: -4.05, humidity: null }),
      expect.objectContaining({ pm25: expect.closeTo(0.001), humidity: 98.76543 }),
      expect.objectContaining({ pressure: 101325.6, humidity: null }),
      expect.objectContaining({ sensor_id: 2, pm25: 7 }),
    ]);
  });

  it('the statement that stores has the last word if the ingest cutoff was raised meanwhile (S2)', async () => {
    const old = reading(1, '2026-01-15T00:00:00Z', { pm25: '12.3', humidity: 99.9 }, 1);
    const outcome = await storeStaged(
      town.ingest,
      [[old, reading(1, at(1), { pm25: 2 }, 2)]],
      () => town.owner`call logic.raise_ingest_cutoff('2026-02-01')`,
    );
    const refused = { refused_ordinals: [1], refused_reasons: ['older_than_retention'] };
    expect(outcome).toMatchObject({ accepted: 1, ...refused });
    const [line] = await town.owner`select reason, text::json as reading from raw.quarantine`;
    expect(line).toMatchObject({
      reason: 'older_than_retention',
      reading: { sensor_id: 1, humidity: 99.9, pm25: 12.3 },
    });
    await town.owner`update raw.installation set ingest_cutoff = '-infinity'`;
  });

  it('a reading at the time that two parts of a file share is stored with the later part', async () => {
    const parts = await town.owner.begin(async (sql) => {
      await sql`select logic.open_stage()`;
      await sql`insert into pg_temp.staged_reading (ordinal, sensor_id, measured_at, pm25, empty)
        values (1, 1, ${at(1)}, 5, 0), (2, 1, ${at(2)}, 6, 0)`;
      const [file] = await sql<{ id: number }[]>`
        insert into raw.import (imported_at, source, declared) values (${NOW}, 'x', '{}') returning id`;
      const store = (since: string, until: string) => sql`
        select (s).accepted, (s).received
        from logic.store_period(${NOW}, 'x', ${since}, ${until}, true, ${file?.id ?? 0}, false) s`;
      return [...(await store('-infinity', at(2))), ...(await store(at(2), 'infinity'))];
    });
    expect(parts).toEqual(Array(2).fill({ accepted: 1, received: 1 }));
  });

  it('a staged source counts readings of a sensor that was at no station then', async () => {
    await bringIn(town.owner, smallNetwork({ sensor: { stations: [{ id: 1, since: at(5) }] } }));
    const readings = [1, 4, 5].map((minute) => reading(1, at(minute), { pm25: 1 }));
    expect(await storeStaged(town.ingest, [readings])).toMatchObject({
      accepted: 3,
      without_station: 2,
    });
    await bringIn(town.owner, smallNetwork());
  });

  it('nothing is left of a stage, whether its work ended or not', async () => {
    const pool = town.db.as('airseries_ingest');
    const tables = () => town.owner`
      select c.oid from pg_class c where relname = 'staged_reading' and relpersistence = 't'`;
    const before = await tables(); // those of pushes stay, empty, with their connection
    await storeStaged(pool, [[reading(1, at(1), { pm25: 5 })]]);
    const failing = withStage(pool, async (stage) => {
      await stage.begin();
      await stage.add([reading(1, at(2), { pm25: 5 })], NOW);
      await stage.end();
      throw new Error('interrupted');
    });
    await expect(failing).rejects.toThrow('interrupted');
    expect(await tables()).toEqual(before);
    expect(await town.owner`select from raw.readings`).toHaveLength(1);
  });
});
