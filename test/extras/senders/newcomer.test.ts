/** A newcomer's run: a file as it came, its plan, the declarations that the plan asks for, and its values. */
import { beforeAll, expect, it } from 'vitest';
import { openTown, type Town } from '../../commands/support.ts';
import { file } from '../../ingest/support.ts';

let run: Town['run'];
beforeAll(async () => {
  const town = await openTown();
  run = town.run;
  return town.close;
});

const two = (n: number) => String(n).padStart(2, '0');
const AGENCY = [
  'Messwerte der Luftgüte;;;;;',
  'Station: Köln;;;;;',
  'Datum;Uhrzeit;PM10 (µg/m³);PM2,5 (µg/m³);Lufttemperatur;Bemerkung',
  ...Array.from({ length: 24 }, (_, n) => {
    const [hour, remark] = [two(n), n === 3 ? 'gestört' : ''];
    return `19.11.2026;${hour}:00;${14 + (n % 3)},5;${8 + (n % 2)},25;${4 + (n % 5)},1;${remark}`;
  }),
  '',
].join('\r\n');

type Planned = {
  plans: [{ doubts: { what: string; remedy: string }[]; refused: object[]; accepted: number }];
};
const dryRun = async (line: string) => {
  const { ok, result } = await run(`import readings ${line} --dry-run`);
  const [plan] = (result as Planned).plans;
  return { ok, ...plan, asked: plan.doubts.map(({ what, remedy }) => `${what}. ${remedy}`) };
};

it('a plan of a file of a German agency asks at once for its encoding, its sensor, its time and its zone', async () => {
  const { ok, asked, ...plan } = await dryRun(file('luft.csv', Buffer.from(AGENCY, 'latin1')));
  expect(ok).toBe(false);
  expect(asked).toEqual([
    expect.stringMatching(/^this is text in cp1252.*iconv -f CP1252/),
    expect.stringMatching(/^the header has no column sensor_id.*--device .* or --sensor/),
    expect.stringMatching(/^the header has no column for the time/),
    expect.stringMatching(
      /Datum\+Uhrzeit\. Add --column time=Datum\+Uhrzeit .*--zone Europe\/Berlin/,
    ),
  ]);
  expect(plan).toMatchObject({
    ...{ encoding: 'windows-1252', delimiter: ';', zone: null, received: 24, refused: [] },
    columns: [
      { column: 'PM10 (µg/m³)', parameter: 'pm10', unit: 'µg/m³', said_by: 'in the name' },
      { column: 'PM2,5 (µg/m³)', parameter: 'pm25', unit: 'µg/m³', said_by: 'in the name' },
    ],
    unused: expect.arrayContaining([
      { column: 'Lufttemperatur', values: 24 },
      { column: 'Bemerkung', values: 1 },
    ]),
  });
  const declared = `${file('luft.csv', AGENCY)} --sensor 1 --column time=Datum+Uhrzeit --zone Europe/Berlin`;
  expect(await dryRun(declared)).toMatchObject({ ok: true, doubts: [], accepted: 24 });
  const { result } = await run(`import readings ${declared}`);
  expect(result).toMatchObject({ accepted: 24, failed: false });
});
