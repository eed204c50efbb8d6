/** Listing and dropping quarantined lines, and the bounds of the quarantine. */

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/commands/context.ts';
import { listQuarantine } from '../../../src/ingest/quarantine/list.ts';
import { trimQuarantine } from '../../../src/ingest/quarantine/trim.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { NOW } from '../../support/clock.ts';
import { commandsOn } from '../../support/command.ts';
import { whereComplete } from '../../support/complete.ts';
import { onOneEngine } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { needs } from '../../support/tools.ts';
import { importText, reading, useTown } from '../support.ts';

const T = '2026-11-10T10:00:00Z';
const days = (n: number) => new Date(NOW.getTime() - n * 86_400_000);

onOneEngine('quarantine', (engine) => {
  const town = useTown(engine);
  beforeEach(() => town.owner`truncate raw.quarantine_dropped`);

  const ids = async () =>
    (await town.owner`select id::int from raw.quarantine order by id`).map(({ id }) => id);

  describe('list, drop and retry', () => {
    beforeEach(async () => {
      const scope = { provider: 'us', stations: null };
      const long = { ...reading(99, T, { pm25: 1 }, 3), text: 'ü'.repeat(500) };
      await acceptReadings(town.ingest, [long, reading(1, T, { pm25: 9_999, pm10: 1 }, 4)], {
        now: days(2),
        source: 'file.csv',
      });
      await acceptReadings(town.ingest, [reading(98, T, { pm25: 1 })], {
        now: days(1),
        source: 'us',
        scope,
      });
    });
    let run: ReturnType<typeof commandsOn>;
    beforeAll(() => {
      run = commandsOn(town.db);
    });
    const list = async (options = '') => (await run(`quarantine list${options}`)).result;

    it('quarantine list shows the newest lines first, with their reasons in words', async () => {
      expect(await list()).toEqual({
        total: 3,
        by_reason: { unknown_sensor: 2, 'out_of_bounds:pm25': 1 },
        lines: [
          {
            id: 3,
            recorded_at: '2026-11-19T16:00:00+04:00',
            source: 'us',
            provider: 'us',
            line: null,
            kind: 'reading',
            reason: 'unknown_sensor',
            explanation: expect.stringContaining(
              'there is no sensor 98 in the network: add {"id": 98} to the sensors',
            ),
            text: reading(98, T, { pm25: 1 }).text,
          },
          expect.objectContaining({
            id: 2,
            kind: 'value',
            line: 4,
            explanation: 'pm25 must be -10 to 2000 µg/m³',
          }),
          expect.objectContaining({
            id: 1,
            source: 'file.csv',
            provider: null,
            line: 3,
            text: 'ü'.repeat(300),
          }),
        ],
      });
    });

    it.each([
      [' --limit 1', 3, 1],
      [' --reason unknown_sensor', 2, 2],
      [' --provider us', 1, 1],
      [' --provider ', 2, 2],
    ])('quarantine list filters by %j', async (options, total, shown) => {
      const { by_reason, lines, ...listed } = await list(options);
      expect([listed.total, lines.length]).toEqual([total, shown]);
      const counts = Object.values<number>(by_reason);
      expect(counts.reduce((sum, n) => sum + n, 0)).toBe(total);
    });

    it('an unknown reason in quarantine is listed without an explanation', async () => {
      await town.owner`update raw.quarantine set reason = 'of_tomorrow'`;
      expect(await list(' --limit 1')).toMatchObject({
        lines: [{ reason: 'of_tomorrow', explanation: null }],
      });
    });

    it.each([
      [' --reason unknown_sensor', 2],
      [' --reason unknown_sensor --provider us', 1],
      [` --before ${days(1.5).toISOString()}`, 2],
      [` --before ${days(2).toISOString()}`, 0],
      [` --before ${NOW.toISOString()} --source us`, 1],
      [' --all', 3],
    ])('quarantine drop removes the lines that match %j', async (options, dropped) => {
      expect(await run(`quarantine drop${options}`)).toMatchObject({
        result: { dropped },
        ok: true,
      });
      expect(await list()).toMatchObject({ total: 3 - dropped });
    });

    it.each([
      ...['drop', 'drop --all --reason unknown_sensor'],
      ...['list --limit 0', 'list --limit 1.5', 'list --limit 9999999'],
    ])('quarantine %s is refused', async (words) => {
      await expect(run(`quarantine ${words}`)).rejects.toThrow(UsageError);
      expect(await ids()).toHaveLength(3);
    });
  });

  describe('a line of CSV that an import could not use', () => {
    const explained = async (text: string, columns?: string[]) => {
      await importText(town.ingest, text, columns && { columns });
      const { lines } = await listQuarantine(town.owner, {}, 10, READING_FORMATS);
      return lines.map(({ line, text: kept, explanation }) => [line, kept, explanation]);
    };

    it(
      'an unusable line of CSV is kept with the names of its columns, and explained by them (S2)',
      whereComplete,
      async () => {
        const lines = ['1,20.11.2026 08:00,5,', `1,${T},5000,7`, `,${T},1,1`].join('\n');
        const named = (sensor_id: string, time: string, pm25: string, no2: string) =>
          JSON.stringify({ sensor_id, time, pm25, 'no2 (µg/m³)': no2 });
        const listed = await explained(`sensor_id,time,pm25,"no2 (µg/m³)"\n${lines}\n`);
        expect(listed).toEqual(
          expect.arrayContaining([
            [
              2,
              named('1', '20.11.2026 08:00', '5', ''),
              expect.stringContaining('2026-11-20T08:00 has no offset, or is in an hour'),
            ],
            [3, named('1', T, '5000', '7'), expect.stringContaining('pm25 must be -10 to 2000')],
            [4, named('', T, '1', '1'), expect.stringContaining('sensor_id is missing')],
          ]),
        );
      },
    );

    it(
      'an unusable line of CSV is explained without its time where the column of the time was declared',
      whereComplete,
      async () => {
        const columns = ['sensor_id=Nr', 'time=Wann', 'pm25_ugm3=Staub'];
        expect(await explained('Nr,Wann,Staub\n1,gestern,5\n', columns)).toEqual([
          [
            2,
            '{"Nr":"1","Wann":"gestern","Staub":"5"}',
            expect.stringMatching(/^the time is not ISO 8601 [^;]*$/),
          ],
        ]);
      },
    );
  });

  describe('bounds', () => {
    let filled = 0;
    const fill = (provider: string | null, n: number, recordedAt = NOW) => {
      filled += 1;
      return town.owner`
        insert into raw.quarantine (recorded_at, source, provider_id, kind, reason, text)
        select ${recordedAt}, 's', ${provider}, 'reading', 'unknown_sensor', ${`${filled} `} || g || repeat('.', 300) from generate_series(1, ${n}) g`;
    };
    const dropped = () =>
      town.owner`select provider_id, expired::int, surplus::int from raw.quarantine_dropped order by 1`;

    it('every line stays in quarantine for 90 days, and the lines deleted after that are counted', async () => {
      await fill('us', 1, days(90));
      await fill('us', 2, new Date(days(90).getTime() - 1));
      await fill(null, 3, days(100));
      expect(await trimQuarantine(town.owner, NOW)).toEqual({
        expired: { '': 3, us: 2 },
        surplus: {},
      });
      expect(await ids()).toEqual([1]);
      expect(await trimQuarantine(town.owner, NOW)).toEqual({ expired: {}, surplus: {} });
      await fill(null, 1, days(100));
      await trimQuarantine(town.owner, NOW);
      expect(await dropped()).toEqual([
        { provider_id: '', expired: 4, surplus: 0 },
        { provider_id: 'us', expired: 2, surplus: 0 },
      ]);
    });

    it('only the newest lines of each provider stay in quarantine', async () => {
      await bringIn(town.owner, {
        ...smallNetwork(),
        providers: [
          { id: 'us', title: 'Us' },
          { id: 'them', title: 'Them' },
        ],
      });
      await fill('us', 4);
      await fill(null, 5);
      await fill('them', 3);
      await fill('us', 2, days(1));
      expect(await trimQuarantine(town.owner, NOW, { lines: 3 })).toEqual({
        expired: {},
        surplus: { '': 2, us: 3 },
      });
      expect(await ids()).toEqual([4, 7, 8, 9, 10, 11, 12, 13, 14]);
      await fill('us', 1, days(2));
      await fill('them', 1, days(91));
      expect(await trimQuarantine(town.owner, NOW, { lines: 3 })).toEqual({
        expired: { them: 1 },
        surplus: { us: 1 },
      });
      expect(await dropped()).toEqual([
        { provider_id: '', expired: 0, surplus: 2 },
        { provider_id: 'them', expired: 1, surplus: 0 },
        { provider_id: 'us', expired: 0, surplus: 4 },
      ]);
    });

    it(
      'the quarantine keeps 100,000 lines of a provider by default, and deletes others in pieces',
      needs('all'),
      async () => {
        await fill('us', 45_000, days(95));
        await fill(null, 100_001);
        const trimmed = { expired: { us: 45_000 }, surplus: { '': 1 } };
        expect(await trimQuarantine(town.owner, NOW)).toEqual(trimmed);
      },
    );
  });
});
