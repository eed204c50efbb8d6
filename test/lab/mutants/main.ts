/**
 * `npm run mutants -- [--minutes 60] [--only text]`: makes each change of the table (mutants.ts) in a
 * copy of the project, one at a time, and runs the tests that should notice. Fails where they don't.
 * What there is no time for is counted, and is no failure; `--only`, once or more often, takes the
 * mutants with such a text in their file or change.
 *
 * `npm run mutants -- --src [--only src/serve/cache.ts]`: Stryker makes the changes, in the
 * TypeScript that stryker.config.json or `--only`, a path or glob, names. It lists the unnoticed
 * ones when it ends, and fails where its tests notice fewer than the threshold there.
 *
 * One server of each engine serves them all.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { onConnection } from '../../../src/database/client.ts';
import { openServers, type Targets } from '../../support/run/servers.ts';
import { GROUPS, type Group, type Mutant, misfits } from './mutants.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
/** A test that waits for what the mutant never does has noticed it. */
const TIMEOUT_MS = 300_000;
const STRYKER = join(ROOT, 'test/lab/mutants/node_modules/@stryker-mutator/core/bin/stryker.js');

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    only: { type: 'string', multiple: true, default: [''] },
    src: { type: 'boolean', default: false },
  },
});
if (values.src && !existsSync(STRYKER))
  throw new Error('run npm ci --prefix test/lab/mutants first');
const deadline = performance.now() + Number(values.minutes) * 60_000;

const groups = GROUPS.map((group) => ({
  ...group,
  mutants: group.mutants.filter(isWanted),
})).filter(({ mutants }) => mutants.length > 0);
const outdated = misfits(groups);
if (outdated.length > 0) throw new Error(`the table no longer fits:\n${outdated.join('\n')}`);

const copy = mkdtempSync(join(tmpdir(), 'airseries-mutants-'));
chmodSync(copy, 0o755); // as root, some tests run programs as another user
process.once('exit', () => rmSync(copy, { recursive: true, force: true, maxRetries: 10 }));
let running: ReturnType<typeof spawn> | undefined;
let closing: (() => Promise<void>) | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    running?.kill('SIGKILL');
    void closing?.().finally(() => process.exit(1));
    if (closing === undefined) process.exit(1);
  });
}
for (const path of execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => path !== '' && path !== 'node_modules')) {
  cpSync(join(ROOT, path), join(copy, path));
}
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
const servers = await openServers();
closing = servers.close;
const counts = { killed: 0, survived: 0, unchanged: 0, left: 0 };
try {
  build(); // pages, which many tests serve, are read from it
  process.exitCode = (await (values.src ? runStryker() : tryTable())) ? 0 : 1;
} finally {
  await servers.close();
}

/** True if the tests noticed enough. In place, because the copy needs no other copy. */
async function runStryker(): Promise<boolean> {
  const options = ['run', 'test/lab/mutants/stryker.config.json', '--inPlace'];
  if (!values.only.includes('')) options.push('--mutate', values.only.join());
  running = spawn(process.execPath, [STRYKER, ...options], {
    cwd: copy,
    env: { ...process.env, MUTANTS_TARGETS: JSON.stringify({ plain: servers.targets.plain }) },
    stdio: 'inherit',
  });
  const [code] = await once(running, 'exit');
  return code === 0;
}

/** True if the tests notice every mutant of the table. */
async function tryTable(): Promise<boolean> {
  for (const group of groups) {
    if (group.engine !== undefined && servers.targets[group.engine] === undefined) {
      counts.left += group.mutants.length;
      continue;
    }
    const failure = performance.now() < deadline ? await runTests(group) : undefined;
    if (failure !== undefined) {
      process.stdout.write(`FAILS WITHOUT ANY CHANGE: ${group.tests.join(' ')} (${failure})\n`);
      counts.unchanged += 1;
      continue;
    }
    for (const mutant of group.mutants) await tryOut(group, mutant);
    if (group.build) build();
  }
  const { killed, survived, unchanged, left } = counts;
  process.stdout.write(`${killed} killed, ${survived} survive, ${left} left untried\n`);
  return survived + unchanged === 0;
}

function isWanted({ file, replace }: Mutant): boolean {
  return values.only.some((text) => `${file} ${replace}`.includes(text));
}

async function tryOut(group: Group, { file, replace, by }: Mutant): Promise<void> {
  if (performance.now() > deadline) {
    counts.left += 1;
    return;
  }
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    original.replace(replace, () => by),
  );
  if (group.build) build();
  const makesTemplates = /^(sql|src\/schema)\//.test(file);
  if (makesTemplates) await dropDatabases('template');
  const failure = await runTests(group);
  if (makesTemplates) await dropDatabases('template');
  writeFileSync(path, original);
  const noticed = failure !== undefined;
  counts[noticed ? 'killed' : 'survived'] += 1;
  process.stdout.write(
    `${noticed ? 'killed' : 'SURVIVES'}  ${file}: ${oneLine(replace)} → ${oneLine(by)}${noticed ? ` (${failure})` : ''}\n`,
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim() || 'nothing';
}

/** The programs that tests run as processes; what TypeScript says of a mutant does not matter. */
function build(): void {
  try {
    execFileSync('npm', ['run', '-s', 'build'], { cwd: copy, stdio: 'ignore' });
  } catch {}
}

/**
 * The first test that fails, undefined if none does. On plain PostgreSQL, unless the group is about
 * the other engine.
 */
async function runTests({ tests, engine = 'plain' }: Group): Promise<string | undefined> {
  const target = servers.targets[engine];
  if (target === undefined) throw new Error(`no server for the engine ${engine}`);
  await dropDatabases('(test|empty)');
  const targets: Partial<Targets> = { [engine]: target };
  const config = [
    '--config',
    'test/lab/mutants/vitest.config.ts',
    '--root',
    '.',
    '--bail',
    '1',
    '--reporter',
    'json',
  ];
  running = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...config, ...tests],
    {
      cwd: copy,
      env: { ...process.env, MUTANTS_TARGETS: JSON.stringify(targets) },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    },
  );
  const output = running.stdout === null ? '' : await text(running.stdout);
  const code = running.exitCode ?? (await once(running, 'exit'))[0];
  return code === 0 ? undefined : firstFailure(output);
}

type Report = {
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; title: string; failureMessages: string[] }[];
  }[];
};

/**
 * Its title, and what it says: that a test took too long may be the machine's fault rather than the
 * mutant's.
 */
function firstFailure(output: string): string {
  if (!output.startsWith('{')) return 'it did not end';
  const { testResults } = JSON.parse(output) as Report;
  const failed = testResults
    .flatMap((file) => file.assertionResults)
    .find(({ status }) => status === 'failed');
  const [title, why] = failed
    ? [failed.title, failed.failureMessages[0]]
    : [
        'before any test',
        testResults.map(({ message }) => message).join('') || 'an error outside of tests',
      ];
  return oneLine(`${title}: ${why?.split('\n')[0]}`).slice(0, 200);
}

/**
 * Templates hold the SQL that they were made with; tests that were cut short leave databases of
 * their own.
 */
async function dropDatabases(kind: string): Promise<void> {
  for (const target of Object.values(servers.targets)) {
    await onConnection(target, {}, async (sql) => {
      const made = await sql<{ name: string }[]>`
        select datname as name from pg_database where datname ~ ${`^${kind}_[0-9a-f]+$`}`;
      for (const { name } of made) await sql.unsafe(`drop database ${name} with (force)`);
    });
  }
}
