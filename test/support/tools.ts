/**
 * Things that a test needs beyond Node: a program, a server, a user. Where one is missing, the
 * tests are skipped, and the output's end says which and why. `npm test` fails if a test is skipped
 * in any other way.
 *
 *     describe('behind nginx', needs('nginx'), () => …)
 *     it('the metrics pass promtool', needs('promtool'), () => …)
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { inject } from 'vitest';
import { canEnter, isRoot, unprivilegedUser } from './users.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The reason why the test is skipped. */
    missing?: string;
  }
}

/** True if a program runs, by its name or as one of several files. */
const runs = (option: string, ...programs: string[]): boolean =>
  programs.some((program) => outputOf(program, option) !== undefined);

function outputOf(program: string, option: string): string | undefined {
  try {
    return execFileSync(program, [option], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

/** The newest psql on this machine. */
export function findPsql(): string | undefined {
  const installed = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const paths = installed
    .sort((a, b) => Number(b) - Number(a))
    .map((major) => `/usr/lib/postgresql/${major}/bin/psql`);
  return [...paths, 'psql'].find(
    (psql) => Number(/\d+/.exec(outputOf(psql, '--version') ?? '')?.[0]) >= 15,
  );
}

/** Debian's Chromium, or the one that the variable names. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

const ALERTMANAGER = [
  '/usr/bin/prometheus-alertmanager',
  '/usr/local/bin/alertmanager',
  '/bin/alertmanager',
].find((program) => runs('--version', program));

const ROOT = new URL('../..', import.meta.url).pathname;

const TOOLS = {
  all: { isHere: () => inject('all') ?? false, missing: 'this is for npm run test:all' },
  alertmanager: {
    isHere: () => ALERTMANAGER !== undefined,
    missing: 'Alertmanager is not installed',
  },
  awk: { isHere: () => runs('BEGIN {}', 'awk'), missing: 'awk is not installed' },
  chromium: { isHere: () => existsSync(CHROMIUM), missing: `there is no ${CHROMIUM} (CHROMIUM)` },
  curl: { isHere: () => runs('--version', 'curl'), missing: 'curl is not installed' },
  etcd: { isHere: () => runs('--version', 'etcd'), missing: 'etcd is not installed' },
  haproxy: { isHere: () => runs('-v', 'haproxy'), missing: 'HAProxy is not installed' },
  jq: { isHere: () => runs('--version', 'jq'), missing: 'jq is not installed' },
  linux: { isHere: () => process.platform === 'linux', missing: 'this is not Linux' },
  nginx: { isHere: () => runs('-v', 'nginx'), missing: 'nginx is not installed' },
  openssl: { isHere: () => runs('version', 'openssl'), missing: 'openssl is not installed' },
  otherUser: {
    isHere: () => !isRoot() || canEnter(unprivilegedUser(), ROOT),
    missing: 'root has the project in a folder that no other user can enter',
  },
  patroni: { isHere: () => runs('--version', 'patroni'), missing: 'Patroni is not installed' },
  pgbouncer: {
    isHere: () => runs('--version', 'pgbouncer'),
    missing: 'PgBouncer is not installed',
  },
  promtool: { isHere: () => runs('--version', 'promtool'), missing: 'promtool is not installed' },
  psql: { isHere: () => findPsql() !== undefined, missing: 'psql 15 or newer is not installed' },
  python3: { isHere: () => runs('--version', 'python3'), missing: 'Python 3 is not installed' },
  root: { isHere: isRoot, missing: 'the tests do not run as root' },
  soffice: { isHere: () => runs('--version', 'soffice'), missing: 'LibreOffice is not installed' },
  timescale: {
    isHere: () => inject('targets').timescale !== undefined,
    missing: 'no server with TimescaleDB was found',
  },
};
export type Tool = keyof typeof TOOLS;

const found = new Map<Tool, boolean>();

/** Options of `describe` and `it` that skip the tests if a tool is missing. */
export function needs(...tools: Tool[]): Skippable {
  const missing = tools.find((tool) => {
    if (!found.has(tool)) found.set(tool, TOOLS[tool].isHere());
    return !found.get(tool);
  });
  return skipUnless(missing === undefined, missing === undefined ? '' : TOOLS[missing].missing);
}

export type Skippable = { skip?: true; meta?: { missing: string } };

/** The same for a condition that no other test has. */
export const skipUnless = (isPossible: boolean, missing: string): Skippable =>
  isPossible ? {} : { skip: true, meta: { missing } };
