/** Dates as people write them: the order of day and month is found from all dates of a file (S7). */
import { expect, it } from 'vitest';
import { findDateFormat } from '../../../../src/extras/senders/reading/dateFormat.ts';
import { file } from '../../../ingest/support.ts';
import { readText } from '../support.ts';

const zone = '+04:00';

/** The times of a file with these dates, as it is imported; without an offset where unreadable. */
async function timesOf(dates: readonly string[]): Promise<unknown[]> {
  const table = `sensor_id,time,pm25\n${dates.map((date) => `1,${date},5\n`).join('')}`;
  const dateFormat = await findDateFormat(file('dates.csv', table), { zone });
  const { readings } = await readText(table, { zone, dateFormat });
  return readings.map(({ measuredAt }) => measuredAt);
}

it.each<[string, string[], string[]]>([
  [
    'with the month first, one day above the 12th',
    ['6/5/2026 8:00 PM', '6/13/2026 8:00 AM'],
    ['2026-06-05T20:00+04:00', '2026-06-13T08:00+04:00'],
  ],
  [
    'beside times of another form',
    ['05/06/2026 08:00', '2026-06-12T08:00+04:00', '13/06/2026 08:00'],
    ['2026-06-05T08:00+04:00', '2026-06-12T08:00+04:00', '2026-06-13T08:00+04:00'],
  ],
  ['with the same day and month', ['05/05/2026 08:00'], ['2026-05-05T08:00+04:00']],
  [
    'as cards of Home Assistant export them',
    ['2026-11-20 08:00:30'],
    ['2026-11-20 08:00:30+04:00'],
  ],
])('dates %s are read', async (_, dates, expected) => {
  expect(await timesOf(dates)).toEqual(expected);
});

it('a day above the 12th decides the order of dates, even late in a file', async () => {
  const early = Array.from(
    { length: 12_000 },
    (_, n) => `01/0${1 + (n % 9)}/2026 08:${10 + (n % 50)}`,
  );
  const times = await timesOf([...early, '25/01/2026 08:00']);
  expect(times[1]).toBe('2026-02-01T08:11+04:00');
  expect(times.at(-1)).toBe('2026-01-25T08:00+04:00');
});

it('a file whose dates all fit either order is refused until the order is declared', async () => {
  await expect(timesOf(['05/06/2026 08:00', '07/06/2026 08:00'])).rejects.toThrow(
    /Say it: --date-format dd\/mm\/yyyy or --date-format mm\/dd\/yyyy/,
  );
});

it('a date in another order is found anywhere in a file', async () => {
  const days = Array.from({ length: 2_000 }, (_, n) => `19/11/2026 08:${10 + (n % 50)}`);
  await expect(timesOf([...days, '11/19/2026 08:00'])).rejects.toThrow(
    'two orders, 19/11/2026 in line 2 with the day first, and 11/19/2026 in line 2002 with the month',
  );
});

it('a declared order is not overruled by a date that contradicts it', async () => {
  const path = file('dates.csv', 'sensor_id,time,pm25\n1,01/25/2026 08:00,5\n');
  expect(await findDateFormat(path, { zone, dateFormat: 'dd/mm/yyyy' })).toBeUndefined();
});
