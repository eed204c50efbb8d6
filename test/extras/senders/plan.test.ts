/** A plan says what a file or a push would do, and stores nothing (S10). */
import request from 'supertest';
import { expect, it } from 'vitest';
import { type Confirm, importReadings } from '../../../src/ingest/importReadings.ts';
import type { Plan } from '../../../src/ingest/plan.ts';
import { usePushing } from '../../ingest/http/pushing.ts';
import { file, HOW, stored } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll } from '../../support/database.ts';

onEveryEngineInAll('a plan', (engine) => {
  const here = usePushing(undefined, engine);

  const at = (hour: number) => `2026-11-20T0${hour}:30:00Z`;
  const all = () =>
    Promise.all([
      stored(here.owner),
      here.owner`select * from raw.quarantine`,
      here.owner`select * from raw.import`,
    ]);

  /** The plan of a file, and the summary of storing it afterwards. */
  async function planAndStore(text: string, declared = {}) {
    const path = file('planned.csv', text);
    const format = { ...declared, timeZone: here.database.timeZone };
    const ingest = here.database.as('airseries_ingest');
    const plans: Plan[] = [];
    const before = await all();
    const decide = async (plan: Plan) => plans.push(plan) < 0;
    const confirm = { isWanted: () => true, decide };
    await importReadings(ingest, [path], { ...HOW, format, confirm });
    expect(await all()).toEqual(before);
    const summary = await importReadings(ingest, [path], { ...HOW, format });
    return { plan: plans[0] as Plan, summary };
  }

  const post = (text: string, query: string) =>
    request(here.app)
      .post(`/v1/readings${query}`)
      .set({ Authorization: `Bearer ${here.token}`, 'Content-Type': 'text/csv' })
      .send(text);

  it('the plan of a file is what storing it does then, with its values beside the stored hours', async () => {
    await post(
      `sensor_id,time,pm25,humidity\n1,${at(1)},5,\n1,${at(2)},7,\n3,${at(1)},30,50\n`,
      '',
    );
    await here.database.refresh(NOW);
    const text = `sensor_id,time,pm25,colour\n1,${at(1)},50,a\n1,${at(2)},,b\n1,${at(3)},60,c\n99,${at(1)},1,d\n1,${at(4)},x,e\n`;
    const { plan, summary } = await planAndStore(text);
    expect(plan).toMatchObject({
      format: 'airseries',
      ...{ encoding: 'utf-8', delimiter: ',', zone: null },
      columns: [
        { column: 'sensor_id', parameter: 'sensor_id', unit: null, said_by: null },
        { column: 'time', parameter: 'time', unit: null, said_by: null },
        { column: 'pm25', parameter: 'pm25', unit: 'µg/m³', said_by: 'our name' },
      ],
      unused: [{ column: 'colour', values: 5 }],
      received: 5,
      accepted: 3,
      replaced: summary.replaced,
      doubts: [],
      refused: [
        { reason: 'unknown_sensor', count: 1 },
        { reason: 'no_value', count: 1 },
        { reason: 'unreadable:pm25', count: 1, text: `1,${at(4)},x,e` },
      ],
      entry: { format: 'airseries' },
    });
    expect(plan.values).toEqual([
      {
        ...{ sensor_id: 1, station_id: 1, parameter: 'pm25', count: 2 },
        ...{ first_hour: '2026-11-20T05:00:00+04:00', last_hour: '2026-11-20T07:00:00+04:00' },
        ...{
          lowest: 50,
          median: 50,
          highest: 60,
          stored_median: 6,
          nearby_median: expect.closeTo(17.16),
        },
      },
      expect.objectContaining({ sensor_id: 99, station_id: null, stored_median: null }),
    ]);
    expect(summary).toMatchObject({
      accepted: plan.accepted,
      unchanged: plan.unchanged,
      quarantined: { unknown_sensor: 1, no_value: 1 },
    });
  });

  it('a plan says every doubt at once, each with its remedy', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => {
      const time = new Date(Date.parse(at(1)) + n * 60_000).toISOString();
      return `1,${time},${70 + (n % 2)},${0.1 + (n % 2) / 100},${n % 2}`;
    });
    const { plan, summary } = await planAndStore(
      `sensor_id,time,temperature,pm25,Validity\n${rows.join('\n')}\n`,
    );
    const asked = plan.doubts.map(({ what, remedy }) => `${what}. ${remedy}`).join('\n');
    expect(plan.doubts.length).toBeGreaterThanOrEqual(3);
    for (const word of ['°F', 'mg/m³', 'Validity']) expect(asked).toContain(word);
    expect(plan).toMatchObject({ received: 30, accepted: 30 });
    expect(summary).toMatchObject({ failed: true, accepted: 0 });
  });

  it('a plan quotes contradictions behind the first 1,000 rows of a file whose header is refused', async () => {
    const time = (n: number) => new Date(Date.UTC(2026, 9, 1) + n * 60_000).toISOString();
    const rows = Array.from({ length: 1_500 }, (_, n) => `1,${time(n)},${n % 50},1,a`);
    const again = Array.from({ length: 40 }, (_, n) => `1,${time(1_200 + n)},${n + 51},1,b`);
    const text = ['sensor_id,time,pm25,PM2.5,channel', ...rows, ...again, ''].join('\n');
    const { plan } = await planAndStore(text);
    const said = plan.doubts.map(({ what }) => what).join('\n');
    expect(said).toContain('names pm25 twice');
    expect(said).toContain('unused columns that differ: channel (a and b)');
  });

  it('a file that lacks something is refused with the same words with a plan, without one, and where none is wanted', async () => {
    const latin = Buffer.from(
      `title;Köln\nDatum;Zeit;pm25 (µg/m³)\n20.11.2026;10:00;5\n`,
      'latin1',
    );
    const cases: [text: string | Buffer, declared: object, failure: string][] = [
      [latin, {}, 'this is text in cp1252'],
      [latin.toString('latin1'), {}, 'has no column sensor_id'],
      [latin.toString('latin1'), { sensor: 1 }, 'has no column for the time'],
      [`sensor_id,time,pm25\n1,05/06/2026 10:00,5\n`, {}, 'begin with the day or the month'],
    ];
    const ingest = here.database.as('airseries_ingest');
    for (const [text, declared, failure] of cases) {
      const path = file('lacking.csv', text);
      const format = { ...declared, timeZone: here.database.timeZone };
      const plans: Plan[] = [];
      const decide = async (plan: Plan) => plans.push(plan) > 0;
      const failuresOf = async (confirm?: Confirm) =>
        (await importReadings(ingest, [path], { ...HOW, format, confirm })).failures;
      const plain = await failuresOf();
      expect(plain).toEqual([expect.stringContaining(failure)]);
      expect(await failuresOf({ isWanted: () => false, decide })).toEqual(plain);
      expect(plans).toEqual([]);
      expect(await failuresOf({ isWanted: () => true, decide })).toEqual(plain);
      expect(plans[0]?.doubts[0]?.what).toContain(failure);
    }
    expect(await stored(here.owner)).toEqual([]);
  });

  it('a push with ?dry_run answers what it would do, and stores nothing', async () => {
    await post(`sensor_id,time,pm25\n1,${at(1)},5\n`, '');
    const before = await all();
    const text = `sensor_id,time,pm25\n1,${at(1)},6\n1,${at(2)},7\n1,yesterday,8\n`;
    const { status, body } = await post(text, '?dry_run');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      dry_run: true,
      received: 3,
      accepted: 2,
      replaced: { values: 1 },
      quarantined: [{ index: 2, reason: 'unreadable_time' }],
      sensors: [{ sensor_id: 1, parameter: 'pm25', count: 2, lowest: 6, highest: 7 }],
      ...{ encoding: 'utf-8', delimiter: ',', unused: [] },
      columns: [{ column: 'sensor_id' }, { column: 'time' }, { column: 'pm25', unit: 'µg/m³' }],
    });
    expect(await all()).toEqual(before);
    expect((await post(text, '?dry_run=false')).body.dry_run).toBeUndefined();
    expect(await stored(here.owner)).toHaveLength(2);
  });
});
