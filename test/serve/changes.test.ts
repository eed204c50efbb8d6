/** The documents of changed numbers: whose, why and when. */
import { beforeAll, expect, it } from 'vitest';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import type { Body, Installation } from '../support/installation.ts';
import { installChanged } from './changedNumbers.ts';
import { versionsOf } from './serve.ts';

onEveryEngineInAll('changed numbers', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await installChanged(engine);
    return () => here.close();
  });

  const get = (path: string, at = NOW): Promise<Body> => here.get(`/en/explore/v1/${path}`, at);

  it('the changes of all stations are those of 35 local days, by day and reason, without hidden stations (C6, R1)', async () => {
    const { since, changes } = await get('changes.json');
    expect(since).toBe('2026-10-17T00:00:00+04:00');
    const rows = changes.map(({ shown_at, hours, first_hour, last_hour, ...change }: Body) => {
      const ranges = hours.map((one: Body) => `${one.first_hour} ${one.last_hour}`);
      expect(`${first_hour} ${last_hour}`).toBe(
        `${ranges[0].split(' ')[0]} ${ranges.at(-1).split(' ')[1]}`,
      );
      const short = (text: string) => text.replaceAll(':00:00+04:00', '').replaceAll('2026-', '');
      return [short(shown_at), ...Object.values(change), short(ranges.join())];
    });
    expect(rows).toEqual([
      ['11-14T09', 'version', null, null, [], '2025-01-01T00 11-13T23'],
      ['11-12T03', 'flag', [2], 1, ['port'], '11-10T08 11-11T23'],
      ['11-12T03', 'membership', [], 0, ['port'], '11-10T08 11-11T23'],
      ['11-05T10', 'placement', [1], 1, [], '10-01T00 10-31T23'],
      // the hidden station is not named, but its hour of October changed the town
      [
        '11-03T23:50:00+04:00',
        ...['late', [1, 2], 2, ['town']],
        '10-01T00 10-01T23,10-10T00 10-12T23,10-20T00 10-20T23',
      ],
      ['10-17T00', 'corrected', [1], 1, [], '09-01T00 09-01T23'],
    ]);
  });

  it('the window moves with the local day, and the document is valid until then (R1)', async () => {
    const [before, after] = ['2026-11-20T19:59:59Z', '2026-11-20T20:00:00Z'];
    const reasons = async (at: string) =>
      (await get('changes.json', new Date(at))).changes.map(({ reason }: Body) => reason);
    expect((await reasons(before as string)).at(-1)).toBe('corrected');
    expect(await reasons(after as string)).not.toContain('corrected');
    const [row] =
      await here.published`select valid_until from api.changes_json(${before as string})`;
    expect(new Date(row?.valid_until)).toEqual(new Date(after as string));
  });

  it('a station is listed again from the end of its hidden time, until which the document is valid (C6)', async () => {
    const at = new Date('2026-10-31T20:05:00Z');
    const validUntil = async (call: string, instant: Date) => {
      const [row] = await here.published.unsafe(`select valid_until from api.${call}`, [
        instant.toISOString(),
      ]);
      return new Date(row?.valid_until).toISOString();
    };
    for (const call of ['changes_json($1)', "region_changes_json($1, 'town')"]) {
      expect(await validUntil(call, at)).toBe('2026-10-31T20:20:00.000Z');
      expect(await validUntil(call, new Date('2026-10-20T06:05:00Z'))).toBe(
        '2026-10-20T06:30:00.000Z', // the hidden time of the fourth ends
      );
    }
    const late = (await get('changes.json', at)).changes.find(
      ({ reason }: Body) => reason === 'late',
    );
    expect(late).toMatchObject({ stations: [1, 2, 3], station_count: 3, regions: [] });
  });

  it('the changes of a station are of its own numbers, those of all included, for two years (R1)', async () => {
    const { since, first_hour, changes } = await get('station/1/changes.json');
    expect([since, first_hour]).toEqual(['2024-11-20T00:00:00+04:00', '2026-10-01T00:00:00+04:00']);
    expect(changes.map(({ reason, sensors }: Body) => [reason, sensors])).toEqual([
      ['version', []],
      ['placement', [11]],
      ['late', []],
      ['corrected', []],
      ['deleted', []],
    ]);
    expect(changes[2]).toMatchObject({
      shown_at: '2026-11-03T00:10:00+04:00',
      hours: [{ first_hour: '2026-10-01T00:00:00+04:00', last_hour: '2026-10-01T23:00:00+04:00' }],
    });
    // what concerns its region only is not its own
    const second = await get('station/2/changes.json');
    expect(second.changes.map(({ reason }: Body) => reason)).toEqual(['version', 'flag', 'late']);
    // a hidden one still answers (C6)
    const third = await get('station/3/changes.json');
    expect(third.changes.map(({ reason }: Body) => reason)).toEqual(['version', 'late']);
    expect(await get('station/4/changes.json')).toMatchObject({ first_hour: null, changes: [{}] });
  });

  it('the changes of a region are its own, and those of stations in the hours in which they belonged to it (R1)', async () => {
    const { first_hour, changes } = await get('region/port/changes.json');
    expect(first_hour).toBe('2026-11-19T00:00:00+04:00');
    expect(changes).toMatchObject([
      { reason: 'version', stations: null, station_count: null },
      { reason: 'flag', stations: [2], station_count: 1 },
      { reason: 'membership', stations: [2], station_count: 1 },
      {
        shown_at: '2026-11-03T23:50:00+04:00',
        reason: 'late',
        stations: [2],
        station_count: 1,
        first_hour: '2026-10-11T00:00:00+04:00', // not a member before
        last_hour: '2026-10-12T23:00:00+04:00',
      },
    ]);
    const town = await get('region/town/changes.json');
    expect(town.changes[2]).toMatchObject({
      reason: 'late',
      stations: [1, 2], // and the hidden one, which was a member
      first_hour: '2026-10-01T00:00:00+04:00',
      last_hour: '2026-10-20T23:00:00+04:00',
    });
    const late = (await get('region/old-town/changes.json')).changes[2];
    expect(late).toMatchObject({
      reason: 'late',
      stations: [1],
      last_hour: '2026-10-01T23:00:00+04:00',
    });
  });

  it('a long list of stations is cut, and counted', async () => {
    const [all] = await here.published`select changes from api.changes_json(${NOW}, 1)`;
    expect(JSON.parse(all?.changes)[4]).toMatchObject({ stations: [1], station_count: 2 });
    const [town] =
      await here.published`select changes from api.region_changes_json(${NOW}, 'town', 1)`;
    expect(JSON.parse(town?.changes)[2]).toMatchObject({ stations: [1], station_count: 2 });
  });

  it('a later membership does not rewrite the record of a region (R1)', async () => {
    const owner = here.database.as();
    const [before, after] = [[] as Body[], [] as Body[]];
    const all = ['region/town', 'region/port', 'region/old-town', 'station/2'];
    for (const of of all) before.push(await get(`${of}/changes.json`));
    const whole = await get('changes.json');
    // the first station belonged to the port at all times, says a later file; a station is gone
    const kept =
      await owner`select station_id, region_slug, since, until, is_flagged from raw.membership`;
    await owner`delete from raw.membership`;
    await owner`insert into raw.membership (station_id, region_slug, since, until, is_flagged)
      values (1, 'port', '-infinity', 'infinity', false)`;
    for (const of of all) after.push(await get(`${of}/changes.json`));
    expect(after).toEqual(before);
    expect(await get('changes.json')).toEqual(whole);
    await owner`delete from raw.membership`;
    await owner`insert into raw.membership ${owner(kept)}`;
  });

  it('ranges of hours are at most 20: beyond them, the nearest are one (R1)', async () => {
    // 30 hours, of which the n-th ends n hours before the next
    const [row] = await here.database.as()`
      select logic.hour_ranges((select range_agg(tstzrange(at, at + interval '1 hour'))
        from (select timestamptz '2020-01-01 00:00+04' + n * (n + 1) / 2 * interval '1 hour' as at
          from generate_series(1, 30) n) h)) as hours`;
    expect(row?.hours).toHaveLength(20);
    expect(row?.hours[0]).toEqual({
      first_hour: '2020-01-01T01:00:00+04:00',
      last_hour: '2020-01-03T18:00:00+04:00', // the eleventh of them
    });
  });

  it('a change that shows raises the data version, so that no cache hides it (R1)', async () => {
    const owner = here.database.as();
    const versionOf = async () => (await versionsOf(here.db)).current()?.version ?? 0;
    await here.refresh(NOW);
    const before = await versionOf();
    await here.refresh(NOW);
    expect(await versionOf()).toBe(before);
    await owner`update rollup.change set shown_at = null where reason = 'placement'`;
    await here.refresh(NOW);
    expect(await versionOf()).toBeGreaterThan(before);
    await owner`update rollup.change set shown_at = '2026-11-05 10:00+04' where reason = 'placement'`;
    await owner`delete from rollup.change where shown_at = ${NOW}`;
  });
});
