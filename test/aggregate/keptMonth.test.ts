/** The record of the hours that are kept of deleted readings, while retention goes on. */
import { expect, it } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { lowerCutoff } from '../../src/aggregate/retention.ts';
import { onEveryEngine } from '../support/database.ts';
import { sixHourly } from './sixHourly.ts';
import { storageOf } from './storage.ts';

const now = new Date('2026-11-20T09:00:00Z');

onEveryEngine('the record of kept hours', (engine) => {
  it('the record goes on in the middle of a month, and begins again where the cutoff was lowered', async () => {
    const { database, owner } = await sixHourly(engine, '2026-06-10', now);
    const recorded = async () => {
      const rows = await owner`
        select to_char(month, 'MM') as month, hours::int from rollup.expired_month order by 1`;
      return Object.fromEntries(rows.map(({ month, hours }) => [month, hours]));
    };
    const retain = async (until: string) => {
      await owner`call logic.raise_ingest_cutoff(${until}::text::timestamptz)`;
      await owner`call logic.retain_from(${until}::text::timestamptz)`;
      await owner`call logic.delete_expired_readings()`;
    };
    const found = async () =>
      (await audit(database.target, { clock: () => now, timeZone: 'Asia/Yerevan' })).found;
    try {
      await retain('2026-07-11 00:00+04');
      expect(await recorded()).toEqual({ '06': 168, '07': 80 });
      expect(await found()).toEqual([]);
      await retain('2026-08-01 00:00+04');
      expect(await recorded()).toEqual({ '06': 168, '07': 248 });
      expect(await found()).toEqual([]);
      const [count] = await owner`select * from api.kept_hours`;
      expect(count).toEqual({ recorded: 416, missing: engine === 'plain' ? null : 0 });

      // nothing is left of July: its readings may come again, and are recorded once
      await owner.unsafe(
        `delete from ${await storageOf(owner, 'sensor_hourly')} where bucket >= '2026-07-01 00:00+04' and bucket < '2026-08-01 00:00+04'`,
      );
      await lowerCutoff(owner, new Date('2026-07-01T00:00:00+04:00'));
      const [june] = await owner`select * from api.kept_hours`;
      expect(june).toEqual({ recorded: 168, missing: engine === 'plain' ? null : 0 });
      // a chunk goes when all of it has expired
      await owner`delete from raw.readings where measured_at < '2026-08-01 00:00+04'`;
      await owner`insert into raw.readings (measured_at, sensor_id, pm25)
        select at, 1, 5 from generate_series(timestamptz '2026-07-01 00:00+04', '2026-07-31 18:00+04', '1 day') at`;
      await database.refresh(now);
      await retain('2026-08-01 00:00+04');
      expect(await recorded()).toEqual({ '06': 168, '07': 31 });
      expect((await found()).filter(({ columns }) => columns.includes('lost'))).toEqual([]);
    } finally {
      await database.drop();
    }
  });

  it('only the missing hours are restored from a table of kept hours, and only by an operator', async () => {
    const { database, owner } = await sixHourly(engine, '2026-06-10', now);
    const superuser = database.superuser();
    try {
      await owner`update raw.installation set ingest_cutoff = '2026-08-01 00:00+04'`;
      await owner`call logic.retain_from('2026-08-01 00:00+04')`;
      const stored = () =>
        owner`select * from rollup.sensor_hourly order by bucket, sensor_id`.then((rows) => [
          ...rows,
        ]);
      const before = await stored();
      // the copy has another version's columns, some hours twice, and later ones
      await superuser.unsafe(`
        create table public.kept as select h.pm25, h.sensor_id, h.bucket, 1 as other from rollup.sensor_hourly h;
        insert into public.kept select pm25 + 1, sensor_id, bucket + interval '1 year', 1 from public.kept;
        insert into public.kept select * from public.kept where bucket < '2026-07-01 00:00+04'`);
      const storage = await storageOf(owner, 'sensor_hourly');
      await owner.unsafe(
        `delete from ${storage} where bucket >= '2026-06-20 06:00+04' and bucket < '2026-06-25 18:00+04' and sensor_id = 1`,
      );
      await owner.unsafe(
        `update ${storage} set pm25 = 99 where bucket = '2026-06-28 06:00+04' and sensor_id = 1`,
      );
      const restore = async () => {
        const [row] = await superuser`select logic.restore_kept_hours('public.kept')::int as n`;
        return row?.n;
      };
      expect([await restore(), await restore()]).toEqual([22, 0]);
      const at = Date.parse('2026-06-28T06:00:00+04:00');
      expect(await stored()).toEqual(
        before.map((row) =>
          Date.parse(row.bucket) === at && row.sensor_id === 1 ? { ...row, pm25: 99 } : row,
        ),
      );
      // as if readings had been deleted before the record existed
      await owner`delete from rollup.expired_month`;
      expect(await owner`select * from api.kept_hours`).toEqual([
        { recorded: 0, missing: engine === 'plain' ? null : 0 },
      ]);
      await expect(
        database.as('airseries_reader')`select logic.restore_kept_hours('rollup.sensor_hourly')`,
      ).rejects.toThrow(/permission denied/);
    } finally {
      await database.drop();
    }
  });
});
