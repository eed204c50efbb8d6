/** The commands that import, delete and expire readings, and what they print. */

import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { file } from '../ingest/support.ts';
import { whereComplete } from '../support/complete.ts';
import { openTown, READINGS, type Town } from './support.ts';

/** One town for all: importing the same readings again changes nothing. */
let run: Town['run'];
beforeAll(async () => {
  const town = await openTown();
  run = town.run;
  return town.close;
});

it('import readings prints which readings were stored and rejected, and which columns are unused', async () => {
  const { ok, result } = await run(`import readings ${file('readings.csv', READINGS)}`);
  expect(ok).toBe(true);
  expect(result).toMatchObject({
    received: 5,
    accepted: 2,
    unchanged: 0,
    quarantined: { no_value: 1, unknown_sensor: 1, unreadable_line: 1 },
    values: { 'out_of_bounds:pm25': 1 },
    ignored: ['colour'],
  });
});

it('import readings shows an example of each reason, unless the log on the same terminal has it', async () => {
  const path = file('readings.csv', READINGS);
  for (const terminal of [false, true]) {
    const { table } = await run(`import readings ${path}`, {}, { terminal });
    const shown = table?.(1_000) ?? '';
    expect(shown).toContain('unknown_sensor 1');
    expect(shown.includes('there is no sensor 12')).toBe(!terminal);
  }
});

it('import readings reads a file by a source of the network file', whereComplete, async () => {
  await run(`import readings ${file('readings.csv', READINGS)}`);
  const { result: network } = await run('network export');
  const berlin = {
    columns: { sensor_id: 'Messstelle', time: 'Zeit', pm25_ugm3: 'PM2.5_mean' },
    units: { pm25: 'mg/m3' },
    zone: 'Europe/Berlin',
  };
  const withSource = JSON.stringify({ ...network, sources: { berlin } });
  const imported = await run(`import network ${file('network.json', withSource)}`);
  expect(imported.result).toMatchObject({ sources: { added: 1, removed: [] } });
  const city = 'Messstelle;Zeit;PM2.5_mean\n1;2026-11-19 09:00;0,0125\n1;2026-11-19 10:00;0,02\n';
  const path = file('city.csv', city);
  const { result } = await run(`import readings ${path} --source berlin`);
  expect(result).toMatchObject({ accepted: 0, unchanged: 2, formats: ['airseries'] });
  const { result: listed } = await run('imports');
  expect((listed as object[]).slice(0, 2)).toMatchObject([
    { source: path, source_name: 'berlin' },
    { source_name: null },
  ]);
});

it('import readings computes the values of regions at once', async () => {
  const { result } = await run('status');
  expect(result.freshness.digest_made_at).not.toBeNull();
});

it('delete readings deletes a period, and its readings may be imported again', async () => {
  const path = file('readings.csv', READINGS);
  await run(`import readings ${path}`);
  const remove = 'delete readings --sensor 1 --from 2026-11-19T13:00 --to 2026-11-20';
  expect((await run(remove)).result).toEqual({ deleted: 1 });
  expect((await run(`import readings ${path}`)).result).toMatchObject({ accepted: 1 });
  expect((await run(remove)).result).toEqual({ deleted: 1 });
  expect((await run('audit --from 2026-01-01')).result).toEqual([]);
});

it('imports undo takes back what an import stored, and the numbers follow (S11)', async () => {
  const path = file('night.csv', 'sensor_id,time,pm25\n1,2026-11-18T20:30:00Z,50\n');
  await run(`import readings ${path}`);
  const [{ number }] = (await run('imports --limit 1')).result;
  const { result } = await run(`imports undo ${number}`);
  expect(result).toMatchObject({ number, source: path, readings: 1, withdrawn: 1, put_back: 0 });
  expect((await run('imports --limit 1')).result).toMatchObject([{ number, state: 'undone' }]);
  expect((await run('audit --from 2026-01-01')).result).toEqual([]);
});

it('retention shows the expired readings, deletes them, and accepts older readings again', async () => {
  const { run, close } = await openTown();
  onTestFinished(close);
  const FIXED_NOW = '2027-06-01T00:00:00Z';
  const later = 'sensor_id,time,pm25\n1,2027-05-31T09:00:00Z,1\n';
  await run(`import readings ${file('readings.csv', READINGS)}`);
  await run(`import readings ${file('later.csv', later)}`, { FIXED_NOW });
  const none = { retention: null, cutoff: null, retained_from: null };
  expect((await run('retention')).result).toEqual(none);
  await expect(run('retention --cutoff 2026-11-01')).rejects.toThrow(
    /no cutoff is set; readings of any age are acc/,
  );

  const setting = { RAW_RETENTION: '60 days', FIXED_NOW };
  expect((await run('retention', setting)).result).toEqual({
    ...none,
    retention: '60 days',
    counted_from: '2027-05-31T13:00:00+04:00',
    cutoff_wanted: '2027-04-01T00:00:00+04:00',
    months: 5,
    readings: 2,
  });

  const since = '2027-04-01T00:00:00+04:00';
  const applied = await run('retention --apply', setting);
  expect(applied.result).toMatchObject({
    cutoff: since,
    retained_from: since,
    months: 0,
    readings: 0,
  });
  expect(applied.log).toMatch(/"readings":2.*a month of readings is being deleted/);

  await expect(run('retention --cutoff 2026-11-01', setting)).rejects.toThrow(
    /may have been deleted.*earliest cutoff is 2026-11-19 14:00/,
  );
  await expect(run('retention --cutoff 2027-05-01', setting)).rejects.toThrow(
    /already accepted from 2027-04-01/,
  );
  const back = '2026-12-01T00:00:00+04:00';
  expect((await run('retention --cutoff 2026-12-01T00:00', setting)).result).toMatchObject({
    cutoff: back,
    retained_from: back,
  });
});
