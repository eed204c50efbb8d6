/** The operator's commands, run as separate processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import { makeLog } from '../../src/base/log.ts';
import { UsageError } from '../../src/commands/context.ts';
import { readConfig } from '../../src/config.ts';
import { onConnection } from '../../src/database/client.ts';
import { type EmbeddedServer, openEmbeddedServer } from '../../src/extras/embedded/server.ts';
import { type Installation, migrate } from '../../src/schema/migrate.ts';
import { choose as chooseWords, runCommand } from '../support/command.ts';
import { emptyDatabase } from '../support/database.ts';
import { citiesOfOneStation, install } from '../support/installation.ts';
import { patient } from '../support/patience.ts';
import { addressVariables, makeHome, runAirseries } from '../support/program.ts';

const home = makeHome();
afterAll(() => home.remove());

const split = (words: string) => (words === '' ? [] : words.split(' '));
const run = (words: string, { input = '', ...environment }: Record<string, string> = {}) =>
  runAirseries(split(words), { ...home.environment, ...environment }, input).finished;

const { stations, ...others } = citiesOfOneStation(['town']);
/** Screened, as is everything that a list of sensors adds. */
const NETWORK = { ...others, stations: stations.map((one) => ({ ...one, screening: true })) };
const READINGS = `sensor_id,time,pm25,colour
1,2026-11-19T08:00:00Z,12.5,red
1,2026-11-19T08:30:00Z,5000,red
12,2026-11-19T08:00:00Z,7,red
garbage
1,2026-11-19T09:00:00Z,20,red
`;

/** The UsageError that a command line is refused with. */
function refusalOf(words: string): UsageError {
  try {
    const choice = chooseWords(split(words));
    if ('check' in choice) choice.check(readConfig({}));
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`not refused: ${words}`);
}

describe('bad usage', () => {
  it.each([
    ['', 'no command given'],
    ['fly', 'unknown command fly'],
    ['start --port 80', 'unknown option --port'],
    ['start now', 'unexpected argument: now'],
    ['status --table --json', "option '--table' cannot be used with option '--json'"],
    ['token', 'no command given'],
    ['token fly', 'unknown command fly'],
    ['import network', "missing required argument 'file'"],
    ['import readings', "missing required argument 'files'"],
    ['export', "missing required argument 'folder'"],
    ['token add --provider p', "missing required argument 'name'"],
    ['token add me', "required option '--provider <id>' not specified"],
    ['delete readings --sensor 1', "required option '--from <time>' not specified"],
    ['delete readings --sensor one --from 2026-01-01 --to 2026-01-02', 'a whole number'],
    [
      'delete readings --sensor 2147483648 --from 2026-01-01 --to 2026-01-02',
      'a whole number from 1 to 2147483647',
    ],
    ['token add me --provider p --stations 1,2147483648', 'a whole number from 1 to 2147483647'],
    ['token add me --provider p --stations 0', 'a whole number from 1 to 2147483647'],
    ['migrate twice', 'unexpected argument: twice'],
    ['import network x y z', 'unexpected argument: y z'],
    ['migrate --format x', 'unknown option --format'],
    ['digest --from 2026-01-01', 'unknown option --from'],
    ['audit --form 2026-01-01', 'Did you mean --from?'],
    ['import readings x --format xml', 'choices are airgradient, airquality-am'],
    ['quarantine drop', 'or --all'],
    ['quarantine list --limit many', 'a whole number'],
    ['refresh --from yesterday', 'not an instant'],
    ['refresh --from 2026-13-45', 'not an instant'],
    ['refresh --from 2026-02-01 --to 2026-01-01', '--from must be before --to'],
    ['delete readings --sensor 1 --from 2026-02-01 --to 2026-01-01', '--from must be before --to'],
    ['token add a\nb --provider p', 'one line of up to 100 characters'],
    ['retention --apply', 'needs RAW_RETENTION'],
    ['retention --cutoff yesterday', 'not an instant'],
    ['retention --apply --cutoff 2026-01-01', "cannot be used with option '--apply'"],
    ['network', 'no command given'],
    ['network remove', "missing required argument 'kind'"],
    ['network remove reading 1', 'Allowed choices are station, sensor, region, provider'],
    ['network remove region town --with-readings', 'a region has no readings of its own'],
    ['audit --delete-surplus', '--delete-surplus needs --repair'],
    ['status --everything', 'unknown option --everything'],
  ])('"%s" is refused in one line, with its reason and where to read on', (words, message) => {
    const refused = refusalOf(words);
    expect(refused.message).toContain(message);
    if (message === 'no command given') {
      expect(refused.help).toMatch(/^Usage: airseries /);
      return;
    }
    expect(refused.help).toBe('');
    expect(refused.message).toMatch(/[.?)] See node src\/airseries\.js( [a-z]+)* --help$/);
    if (!message.includes('one line')) expect(refused.message).not.toContain('\n');
  });

  it.each([
    ['import week.csv', 'import readings week.csv'],
    ['readings week.csv.gz', 'import readings week.csv.gz'],
    ['readings', 'import readings FILE'],
    ['week.ndjson', 'import readings week.ndjson'],
    ['network ours.json', 'import network ours.json'],
    [
      'import ours.json',
      'import network ours.json, or node src/airseries.js import readings ours.json',
    ],
    ["import it's.csv", "import readings 'it'\\''s.csv'"],
  ])('"%s" names the command that imports it', (words, meant) => {
    const { message } = refusalOf(words);
    expect(message).toMatch(/^unknown command /);
    expect(message.endsWith(`. To import it: node src/airseries.js ${meant}`)).toBe(true);
  });

  it.each([
    'delete readings --sensor 2147483647 --from 2026-01-01 --to 2026-01-02',
    'token add me --provider p --stations 1,2147483647',
    'import readings x --sensor 2147483647',
  ])('is none of the largest id that a network file may have: %s', (words) => {
    expect(chooseWords(split(words))).toHaveProperty('run');
  });

  it('is repeated to a terminal without what a terminal would obey', async () => {
    const { stderr } = await run('fly\x1b[2J');
    expect(stderr).toContain(String.raw`unknown command fly\u001b[2J`);
    expect(stderr).not.toContain('\x1b');
  });

  it.each([
    ['', /^Usage: airseries [\s\S]*\n\nerror: no command given\n$/],
    ['retention --apply', /^error: --apply needs RAW_RETENTION.*\n$/],
  ])('"%s" exits 2, and opens no database', async (words, said) => {
    const { code, stdout, stderr } = await run(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(existsSync(join(home.folder, 'data'))).toBe(false);
  });

  it('lists all problems of the configuration', async () => {
    const { code, stderr } = await run('migrate', {
      PORT: 'http',
      FIXED_NOW: 'noon',
      DATABASE_URL: 'mysql://x',
      RAW_RETENTION: '7 days',
      ROLE: 'boss',
    });
    expect(code).toBe(1);
    for (const name of [
      'PORT=http',
      'FIXED_NOW=noon',
      'DATABASE_URL: must look like',
      'at least 35 days',
      'ROLE=boss',
    ])
      expect(stderr).toContain(name);
    expect(stderr).not.toContain('mysql://x'); // it could contain a password
  });
});

it('an export to a path that cannot be made ends before anything is started', async () => {
  const taken = join(home.folder, 'taken');
  writeFileSync(taken, '');
  const { code, stdout, stderr } = await run(`export ${join(taken, 'folder')}`);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^error: .*taken.folder is a file, or below one.*Name a folder that you may write to\.\n$/,
  );
  expect(existsSync(join(home.folder, 'data'))).toBe(false);
});

describe('help', () => {
  const program = (words: string) => {
    const choice = chooseWords(split(words));
    if (!('text' in choice)) throw new Error(`${words} shows no help`);
    return choice.text;
  };
  const commandsIn = (help: string) =>
    [...(help.split('\nCommands:\n')[1]?.matchAll(/^ {2}([a-z-]+)/gm) ?? [])].map(
      ([, name = '']) => name,
    );
  const all = (words: string): string[] =>
    commandsIn(program(`${words} --help`.trim())).flatMap((name) => {
      const deeper = `${words} ${name}`.trim();
      return [deeper, ...all(deeper)];
    });

  it('exists for every command, and describes it', () => {
    const names = all('');
    expect(names).toEqual(
      expect.arrayContaining(['migrate', 'import readings', 'quarantine drop', 'delete readings']),
    );
    for (const name of names) {
      expect(program(`${name} --help`)).toMatch(
        new RegExp(`^Usage: airseries ${name} .*\\n\\n\\S+ \\S+`),
      );
    }
  });

  it('is a word as well', () => {
    expect(program('help import network')).toMatch(/^Usage: airseries import network/);
  });

  it('and the version are printed to stdout, even with an invalid configuration', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect(await run('--version', { PORT: 'http' })).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
    expect(await run('token add --help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--provider <id>'),
      stderr: '',
    });
  });
});

describe('the service', () => {
  it('prints help and its version, refuses other arguments, and makes no database', async () => {
    const service = (words: string) =>
      runAirseries(split(`start ${words}`), home.environment).finished;
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect(await service('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const help = await service('--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const text of ['Usage: airseries start', 'INGEST_RATE', '(default: 600)']) {
      expect(help.stdout).toContain(text);
    }
    const refused = await service('--port 80');
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: unknown option --port. See node src/airseries.js start --help\n',
    });
    expect(existsSync(join(home.folder, 'data'))).toBe(false);
  });
});

describe('output that nobody reads any more', () => {
  it.each([
    ['stdout', ['--help'], 0],
    ['stderr', ['fly'], 2],
  ] as const)('on %s ends nothing, and is no error', async (stream, words, code) => {
    const file = new URL('../../dist/cli.js', import.meta.url).pathname;
    const child = spawn(process.execPath, [file, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    child[stream].destroy(); // before it writes: a pipe without a reader
    const other = stream === 'stdout' ? child.stderr : child.stdout;
    let said = '';
    other.on('data', (chunk) => {
      said += chunk;
    });
    expect(await once(child, 'close')).toEqual([code, null]);
    expect(said).toBe('');
  });
});

it('a command that is interrupted says how far it came, and that nothing is half done', async () => {
  const here = await install('plain', citiesOfOneStation(['town']));
  const file = new URL('../../dist/cli.js', import.meta.url).pathname;
  const environment = { ...addressVariables(here.database.target), DATABASE_URL: 'postgres://' };
  const child = spawn(process.execPath, [file, 'import', 'readings', '-'], {
    env: { PATH: process.env.PATH ?? '', ...environment },
  });
  child.stdin.on('error', () => undefined); // EPIPE: it ended before it had read all
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const stored = async () => {
    const owner = here.database.as('airseries_owner');
    const [row] = await owner<[{ n: number }]>`select count(*)::int as n from raw.readings`;
    return row.n;
  };
  try {
    // two batches and more than what is looked at before the first is stored; stdin stays open
    const minutes = Array.from({ length: 90_000 }, (_, n) => Date.UTC(2026, 0, 1) + n * 60_000);
    const rows = minutes.map((at) => `1,${new Date(at).toISOString()},5`);
    child.stdin.write(`sensor_id,time,pm25\n${rows.join('\n')}\n`);
    await expect.poll(stored, { timeout: patient(60_000) }).toBeGreaterThan(10_000);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
    expect(said).toMatch(/^interrupted after importing [\d,]+ rows\. What is stored stays/m);
  } finally {
    child.kill('SIGKILL');
    await here.close();
  }
});

it('the demo is refused before it makes a database of somebody else’s server', async () => {
  const { target, drop } = await emptyDatabase('plain');
  try {
    const environment = { ...addressVariables(target), DATABASE_URL: 'postgres://' };
    const refused = await runAirseries(['demo'], environment).finished;
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toBe(
      'error: This is not the embedded server. To load the demo network into this database, set DEMO=on.\n',
    );
    const schemas = await onConnection(
      target,
      {},
      (sql) => sql`select nspname from pg_namespace where nspname in ('raw', 'api')`,
    );
    expect([...schemas]).toEqual([]);
  } finally {
    await drop();
  }
});

it('a ground of maps that cannot be used ends the start with its name and the remedy, and no stack', async () => {
  const { code, stderr } = await run('start', { MAP_GROUND: home.folder });
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toEqual({
    ...{ level: 'error', time: expect.anything() },
    msg: `MAP_GROUND=${home.folder}: is a folder. Name a GeoJSON file, or unset MAP_GROUND.`,
  });
});

describe('one network from its file to its audit', () => {
  const file = join(home.folder, 'network.json');
  const json = async (words: string, environment: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await run(words, environment);
    expect(stdout).not.toMatch(/"\w*[A-Z]\w*":/); // keys are in snake_case
    return { code, result: code === 2 ? stderr : JSON.parse(stdout || 'null'), stderr };
  };

  let server: EmbeddedServer | undefined;
  afterAll(() => server?.close());
  let installation: Installation | undefined;
  /** Runs a command in this process: only its first time is a process of its own. */
  const outcomeOf = async (
    words: string,
    environment: Record<string, string> = {},
    terminal = false,
  ) => {
    if (server === undefined) throw new Error('there is no server yet');
    const { target } = server;
    const config = readConfig({ ...home.environment, ...environment });
    installation ??= await migrate(target, { now: new Date(), log: makeLog('silent') });
    return await runCommand(
      {
        ...{ config, clock: makeClock(config.fixedNow), log: makeLog('silent'), terminal },
        database: { target, embedded: true, close: async () => undefined },
        installation,
        as: (role, work) => onConnection(target, { role, timeZone: 'Asia/Yerevan', max: 2 }, work),
        instant: async (text) => (text === undefined ? undefined : new Date(`${text}+04:00`)),
      },
      ...split(words),
    );
  };
  const again = async (words: string, environment: Record<string, string> = {}) => {
    const outcome = await outcomeOf(words, environment);
    expect(outcome.ok).toBe(true);
    return JSON.parse(JSON.stringify(outcome.result));
  };
  const csv = (text: string) => {
    const path = join(home.folder, 'readings.csv');
    writeFileSync(path, text);
    return path;
  };

  it('makes a database only where that is meant', async () => {
    writeFileSync(file, JSON.stringify(NETWORK));
    for (const words of [
      'audit',
      'status',
      'token list',
      'network export',
      `import network ${file} --dry-run`,
    ])
      expect(chooseWords(split(words)), words).toMatchObject({ makesDatabase: false });
    const { code, stdout, stderr } = await run('audit');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      `There is no database in ${join(home.folder, 'data')} (DATA_DIR), and this command makes none`,
    );
    expect(stderr).toContain('with the same DATA_DIR or DATABASE_URL');
    expect(existsSync(join(home.folder, 'data'))).toBe(false);
  });

  it('migrates, imports, refreshes and audits', async () => {
    expect((await json('migrate')).result).toMatchObject({
      time_zone: 'Asia/Yerevan',
      engine: 'plain',
    });
    // from here on the commands use a running server: starting one for each would take most of the
    // time
    server = await openEmbeddedServer({
      dataDirectory: join(home.folder, 'data'),
      log: makeLog('silent'),
    });
    const empty = await json('audit');
    expect([empty.code, empty.result]).toEqual([0, []]);
    expect(empty.stderr).toContain('nothing to audit: no readings and no buckets');
    expect(empty.stderr).not.toContain('embedded PostgreSQL');
    writeFileSync(file, JSON.stringify(NETWORK));
    expect((await json(`import network ${file}`)).result.stations).toMatchObject({ added: 1 });
    const imported = await json('import readings -', { input: READINGS });
    expect(imported.code).toBe(0);
    expect(imported.result).toMatchObject({
      received: 5,
      accepted: 2,
      unchanged: 0,
      quarantined: { no_value: 1, unknown_sensor: 1, unreadable_line: 1 },
      values: { 'out_of_bounds:pm25': 1 },
      ignored: ['colour'],
    });
    // on a terminal, where the log has said it, the summary does not repeat it
    for (const terminal of [false, true]) {
      const { table } = await outcomeOf(`import readings ${csv(READINGS)}`, {}, terminal);
      const shown = table?.(1_000) ?? '';
      expect(shown).toContain('unknown_sensor 1');
      expect(shown.includes('there is no sensor 12')).toBe(!terminal);
    }
    // the same again, with names, a unit and times of its own
    const city = 'Messstelle;Zeit;PM2.5_mean\n1;2026-11-19 09:00;0,0125\n1;2026-11-19 10:00;0,02\n';
    const columns = '--column sensor_id=Messstelle --column time=Zeit --column pm25=PM2.5_mean';
    expect(
      (
        await json(`import readings - ${columns} --unit pm25=mg/m3 --zone Europe/Berlin`, {
          input: city,
        })
      ).result,
    ).toMatchObject({ accepted: 0, unchanged: 2, formats: ['airseries'] });
    // people are shown what is not zero
    const table = await run('import readings - --table', {
      input: 'sensor_id,time,pm25\n1,2026-11-19T08:00:00Z,12.5\n',
    });
    expect(table.stdout).toBe(
      [
        'received   1\naccepted   0\nunchanged  1',
        'oldest     2026-11-19T08:00:00Z\nnewest     2026-11-19T08:00:00Z',
        'formats    airseries\n',
      ].join('\n'),
    );
    // regions have values at once
    expect((await json('status')).result.freshness.digest_made_at).not.toBeNull();
    expect(await again('audit --from 2026-01-01T00:00')).toEqual([]);
    expect((await json('audit')).stderr).toContain(
      '0 buckets differ: compared 2026-11-01 to 2026-11-19 and their months"',
    );
    expect((await json('digest', { FIXED_NOW: '2026-11-19T09:30:00Z' })).result).toEqual({
      made_at: '2026-11-19T09:30:00.000Z',
    });
    expect((await json('refresh --from 2026-11-01 --to 2026-12-01')).code).toBe(0);
    expect(
      (await json('delete readings --sensor 1 --from 2026-11-19T13:00 --to 2026-11-20')).result,
    ).toEqual({
      deleted: 1,
    });
    await again('audit --repair');

    // nothing usable is a failure, and what waits is shown
    const none = await json('import readings -', {
      input: 'sensor_id,time,pm25\n77,2026-11-19T08:00:00Z,1\n',
    });
    expect(none).toMatchObject({
      code: 1,
      result: { failed: true, examples: [{ reason: 'unknown_sensor' }] },
    });
    expect(none.stderr).toMatch(/none of the 1 readings could be used.*quarantine list/);
    expect(await again('status --sensors')).toMatchObject({
      sensors: [{ sensor: 1, station: 1, newest_reading: '2026-11-19T12:00:00+04:00', waiting: 1 }],
      unknown: expect.arrayContaining([
        { sensor: 77, device: null, waiting: 1, newest: expect.any(String) },
      ]),
    });
    expect(await again('status', { FIXED_NOW: '2026-11-19T09:30:00Z' })).toMatchObject({
      engine: 'plain',
      time_zone: 'Asia/Yerevan',
      versions: {
        airseries: '1.0.0',
        postgresql: expect.stringMatching(/^18/),
        timescaledb: null,
      },
      freshness: {
        newest_reading: '2026-11-19T12:00:00+04:00',
        refreshed_at: expect.stringMatching(/\+04:00$/),
      },
      kept_hours: { recorded: 0, missing: null },
      providers: [{ id: 'us', online: 1, offline: 0, pull: null, tokens: [], quarantined: 0 }],
    });
    expect((await json('quarantine drop --reason unknown_sensor')).result).toEqual({ dropped: 2 });
    await again(`import readings ${csv(READINGS)}`);
    expect(
      await again('delete readings --sensor 1 --from 2026-11-19T13:00 --to 2026-11-20T00:00'),
    ).toEqual({ deleted: 1 });
  });

  it('retries the quarantine, manages tokens, corrects, screens and exports', async () => {
    expect((await json('quarantine list')).result).toMatchObject({
      total: 4,
      by_reason: { unknown_sensor: 1 },
    });
    const [station] = NETWORK.stations;
    const grown = { ...station, sensors: [{ id: 1 }, { id: 12, correction: 'epa-2021' }] };
    writeFileSync(file, JSON.stringify({ ...NETWORK, stations: [grown] }));
    expect(await again(`import network ${file}`)).toMatchObject({
      sensors: { added: 1, unchanged: 1 },
    });
    expect((await json('quarantine retry')).result).toMatchObject({ accepted: 1 });
    expect(await again('quarantine drop --reason unreadable_line')).toEqual({ dropped: 1 });

    const { result } = await json('token add roof --provider us --stations 1');
    expect(result).toMatchObject({
      name: 'roof',
      provider: 'us',
      stations: [1],
      token: expect.stringMatching(/^airs_/),
    });
    const listed = await json('token list');
    expect(listed.result).toMatchObject([{ name: 'roof', revoked_at: null }]);
    expect(JSON.stringify(listed.result)).not.toContain(result.token);
    expect((await json('token revoke roof')).result).toEqual({ revoked: 'roof' });

    const whole = await json('network export');
    writeFileSync(file, JSON.stringify(whole.result));
    expect(await again(`import network ${file} --dry-run`)).toMatchObject({
      dry_run: true,
      changes: [],
    });
    expect((await json('network remove sensor 12')).stderr).toContain(
      'it has 1 readings. Add --with-readings',
    );

    expect((await json('screen --from 2026-01-01')).result).toMatchObject({
      raised: 0,
      flagged: [],
    });
    expect(await run('screen --from 2027-01-01')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: --from must not be in the future'),
    });
    await expect(again('audit --from 2027-01-01T00:00')).rejects.toThrow(
      '--from must not be in the future',
    );
    const folder = join(home.folder, 'open-data');
    const exported = await json(`export ${folder}`, { OPEN_DATA_LICENSE: 'CC-BY-4.0' });
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe('CC-BY-4.0\n');
    expect(exported.result.files).toMatchObject({
      'sensors.csv': 2,
      'station_avg_hourly/station_avg_hourly_2026.csv': 1,
    });
    expect(await again('audit --from 2026-01-01T00:00')).toEqual([]);
  });

  it('shows what retention would delete, deletes it, and accepts older readings again', async () => {
    const FIXED_NOW = '2027-06-01T00:00:00Z';
    const later = 'sensor_id,time,pm25\n1,2027-05-31T08:00:00Z,1\n12,2027-05-31T09:00:00Z,1\n';
    expect(await again(`import readings ${csv(later)}`, { FIXED_NOW })).toMatchObject({
      accepted: 2,
    });
    const none = { retention: null, cutoff: null, retained_from: null };
    expect((await json('retention')).result).toEqual(none);
    expect((await json('retention --cutoff 2026-11-01')).stderr).toMatch(
      /no cutoff is set; readings of any age are acc/,
    );
    expect((await json('audit --from 2027-05-31', { FIXED_NOW })).stderr).toContain(
      '0 buckets differ: compared 2027-05-31 and its month; not the days from 2026-11-19 on: --from 2026-11-19"',
    );
    const setting = { RAW_RETENTION: '60 days', FIXED_NOW };
    const retention = (words = '') => again(`retention${words}`, setting);
    expect(await retention()).toEqual({
      ...none,
      retention: '60 days',
      counted_from: '2027-05-31T13:00:00+04:00',
      cutoff_wanted: '2027-04-01T00:00:00+04:00',
      months: 5,
      readings: 2,
    });
    const since = '2027-04-01T00:00:00+04:00';
    const applied = await json('retention --apply', setting);
    expect(applied.result).toMatchObject({
      cutoff: since,
      retained_from: since,
      months: 0,
      readings: 0,
    });
    expect(applied.stderr).toMatch(/"readings":2.*a month of readings is being deleted/);
    await expect(retention(' --cutoff 2026-11-01T00:00')).rejects.toThrow(
      /may have been deleted.*earliest cutoff is 2026-11-19 13:00/,
    );
    await expect(retention(' --cutoff 2027-05-01T00:00')).rejects.toThrow(
      /already accepted from 2027-04-01/,
    );
    const back = '2026-12-01T00:00:00+04:00';
    expect(await retention(' --cutoff 2026-12-01T00:00')).toMatchObject({
      cutoff: back,
      retained_from: back,
    });
  });

  it('refuses invalid input and configuration with exit 1 and a remedy', async () => {
    writeFileSync(file, JSON.stringify({ ...NETWORK, time_zone: 'Europe/Berlin' }));
    const { code, stderr } = await run(`import network ${file}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Europe\/Berlin.*Asia\/Yerevan|Asia\/Yerevan.*Europe\/Berlin/s);
    expect((await run('migrate', { TIME_ZONE: 'UTC' })).stderr).toMatch(
      /TIME_ZONE is UTC.*made for Asia\/Yerevan/,
    );
    expect((await run('import readings no-such-file.csv')).code).toBe(1);
    expect((await run('demo')).stderr).toMatch(/needs an empty database/);
  });
});
