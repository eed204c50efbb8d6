/**
 * The commands for the aggregates, and for the network, its tokens and its quarantine: what they
 * print.
 */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { file } from '../ingest/support.ts';
import { NETWORK, NOW, openTown, READINGS, type Town } from './support.ts';

const FIXED_NOW = NOW;
/** One town for all: importing the same readings again changes nothing. */
let run: Town['run'];
beforeAll(async () => {
  const town = await openTown();
  run = town.run;
  return town.close;
});

it.each<[command: string, result: object]>([
  [
    'migrate',
    {
      time_zone: 'Asia/Yerevan',
      engine: 'plain',
      versions: { postgresql: expect.stringMatching(/^18/) },
    },
  ],
  ['refresh --from 2026-11-01 --to 2026-12-01', { refreshed: true }],
  ['audit --repair', { found: [], remaining: [] }],
  ['digest', { made_at: '2026-11-20T12:00:00.000Z' }],
  ['screen --from 2026-01-01', { raised: 0, flagged: [] }],
])('the command prints its result: %s', async (command, expected) => {
  await run(`import readings ${file('readings.csv', READINGS)}`);
  const { ok, result } = await run(command, { FIXED_NOW });
  expect([ok, result]).toMatchObject([true, expected]);
});

it('status prints the versions, how fresh the numbers are, and what each provider sends', async () => {
  await run(`import readings ${file('readings.csv', READINGS)}`);
  expect((await run('status', { FIXED_NOW: '2026-11-19T09:30:00Z' })).result).toMatchObject({
    engine: 'plain',
    time_zone: 'Asia/Yerevan',
    versions: { airseries: '1.0.0', postgresql: expect.stringMatching(/^18/), timescaledb: null },
    freshness: {
      newest_reading: '2026-11-19T13:00:00+04:00',
      refreshed_at: expect.stringMatching(/\+04:00$/),
    },
    kept_hours: { recorded: 0, missing: null },
    providers: [{ id: 'us', online: 1, offline: 0, tokens: [], quarantined: 0 }],
  });
});

it('audit says whether there was nothing to audit, or which days it compared', async () => {
  const { run, close } = await openTown();
  onTestFinished(close);
  const empty = await run('audit');
  expect([empty.ok, empty.result]).toEqual([true, []]);
  expect(empty.log).toContain('nothing to audit: no readings and no buckets');

  await run(`import readings ${file('readings.csv', READINGS)}`);
  expect((await run('audit --from 2026-01-01T00:00')).result).toEqual([]);
  expect((await run('audit', { FIXED_NOW })).log).toContain(
    '0 buckets differ: compared 2026-11-01 to 2026-11-19 and their months"',
  );
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
  const only = 'quarantine retry --reason unreadable_line';
  expect((await run(only)).result).toMatchObject({ accepted: 0 });
  expect((await run('quarantine retry')).result).toMatchObject({ accepted: 1 });
  expect((await run('quarantine drop --reason unreadable_line')).result).toEqual({ dropped: 1 });
  expect((await run('audit --from 2026-01-01')).result).toEqual([]);
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
