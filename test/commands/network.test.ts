/** The commands for the network, its tokens and its quarantine. */
import { beforeAll, expect, it } from 'vitest';
import { file } from '../ingest/support.ts';
import { NETWORK, openTown, READINGS, type Town } from './support.ts';

/** One town for all: importing the same again changes nothing. */
let run: Town['run'];
beforeAll(async () => {
  const town = await openTown();
  run = town.run;
  return town.close;
});

/** The network with sensor 12 beside sensor 1. */
const [station] = NETWORK.stations;
const GROWN = JSON.stringify({
  ...NETWORK,
  stations: [{ ...station, sensors: [{ id: 1 }, { id: 12, correction: 'epa-2021' }] }],
});

it('import network adds a sensor, and quarantine retry then stores its readings', async () => {
  await run(`import readings ${file('readings.csv', READINGS)}`);
  expect((await run('quarantine list')).result).toMatchObject({
    total: 4,
    by_reason: { unknown_sensor: 1 },
  });
  expect((await run(`import network ${file('network.json', GROWN)}`)).result).toMatchObject({
    sensors: { added: 1, unchanged: 1 },
  });
  expect((await run('quarantine retry')).result).toMatchObject({ accepted: 1 });
  expect((await run('quarantine drop --reason unreadable_line')).result).toEqual({ dropped: 1 });
  expect((await run('audit --from 2026-01-01')).result).toEqual([]);
});

it('network export prints a file that changes nothing when it is imported again', async () => {
  await run(`import network ${file('network.json', GROWN)}`);
  const { result } = await run('network export');
  const exported = file('exported.json', JSON.stringify(result));
  expect((await run(`import network ${exported} --dry-run`)).result).toMatchObject({
    dry_run: true,
    changes: [],
  });
});

it('a token is shown once, when it is added', async () => {
  const { result } = await run('token add roof --provider us --stations 1');
  expect(result).toMatchObject({
    name: 'roof',
    provider: 'us',
    stations: [1],
    token: expect.stringMatching(/^airs_/),
  });
  const listed = await run('token list');
  expect(listed.result).toMatchObject([{ name: 'roof', revoked_at: null }]);
  expect(JSON.stringify(listed.result)).not.toContain(result.token);
  expect((await run('token revoke roof')).result).toEqual({ revoked: 'roof' });
});

it('screen prints the stations that it flagged', async () => {
  await run(`import readings ${file('readings.csv', READINGS)}`);
  expect((await run('screen --from 2026-01-01')).result).toMatchObject({ raised: 0, flagged: [] });
});
