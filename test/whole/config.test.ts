/**
 * The configuration is declared once; src/README.md and .env.example must agree with it. Refused
 * settings are in test/whole/mistakes/settings.test.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIGURATION, environmentHints, readConfig, VARIABLES } from '../../src/config.ts';
import { EXTRAS } from '../../src/extras.ts';
import { DEFAULT_EPOCH, DEFAULT_TIME_ZONE } from '../../src/schema/migrate.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The rows of a README's table of variables: name, default, meaning. */
function documentedVariables(path: string): string[][] {
  const [, table = ''] =
    /\n\| variable +\| default .*\n\|[-| ]+\n((?:\|.*\n)+)/.exec(textOf(path)) ?? [];
  return table
    .trimEnd()
    .split('\n')
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replace(/^`([^`]+)`$/, '$1')),
    );
}

/** The same rows from the declared configuration. */
const declaredVariables = (isWanted: (variable: (typeof CONFIGURATION)[number]) => boolean) =>
  CONFIGURATION.filter(isWanted).map(({ name, defaultsTo, meaning }) => [
    name,
    defaultsTo,
    meaning,
  ]);

it('the configuration is in src/README.md: every variable of the core, its default and its meaning', () => {
  expect(documentedVariables('src/README.md')).toEqual(declaredVariables(({ isCore }) => isCore));
});

const configured = EXTRAS.filter(({ variables }) => Object.keys(variables).length > 0);

it.each(configured)(
  'the configuration of the extra $name is in its README',
  ({ name, variables }) => {
    expect(documentedVariables(`src/extras/${name}/README.md`)).toEqual(
      declaredVariables(({ key }) => key in variables),
    );
  },
);

it('the configuration is in .env.example, with the defaults', () => {
  const lines = [...textOf('.env.example').matchAll(/^(\w+)=(.*)$/gm)];
  const given = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  expect(Object.keys(given)).toEqual(expect.arrayContaining([...VARIABLES]));
  expect(readConfig(given)).toEqual(readConfig({}));
});

it('the configuration has the values of the environment, with the types that the service uses', () => {
  expect(
    readConfig({
      DATABASE_URL: 'postgres://me@here/air',
      PORT: '80',
      ADMIN_PORT: '',
      SITE_BASE_URL: 'https://air.example//',
      FIXED_NOW: '2026-11-20T12:00:00+04:00',
      RAW_RETENTION: '2 years',
      ROLE: 'worker',
    }),
  ).toMatchObject({
    databaseUrl: 'postgres://me@here/air',
    port: 80,
    adminPort: 8081,
    siteBaseUrl: 'https://air.example',
    fixedNow: new Date('2026-11-20T08:00:00Z'),
    rawRetention: '2 years',
    role: 'worker',
    drainSeconds: 5, // behind a load balancer, which needs the time to send requests elsewhere
  });
  expect(readConfig({})).toMatchObject({ siteBaseUrl: '', role: 'all', drainSeconds: 0 });
  const defaults = Object.fromEntries(
    CONFIGURATION.map(({ name, defaultsTo }) => [name, defaultsTo]),
  );
  expect(defaults).toMatchObject({ TIME_ZONE: DEFAULT_TIME_ZONE, EPOCH: DEFAULT_EPOCH });
});

const DATABASES = ['READER_DATABASE_URL'];
const PAGES = ['SITE_BASE_URL', 'SITE_CONTACT'];
it.each([
  ...[
    'postgres://',
    'postgresql:///air',
    'postgres://me:w%40,rd@one:5432/air?x=a,b@c',
    'postgres://me:p%25@here/air',
    'postgres://[::1]:5432/air',
  ].map((address) => [DATABASES, address] as const),
  ...[
    'https://air.example',
    'http://127.0.0.1:8080',
    'https://[::1]/air',
    'https://Երեւան.example',
  ].map((address) => [PAGES, address] as const),
  ...['https://social.example/@air', 'air@town.example'].map(
    (address) => [['SITE_CONTACT'], address] as const,
  ),
])('%s may be %s', (names, address) => {
  for (const name of names)
    expect(
      Object.values(readConfig({ ROLE: 'api', DATABASE_URL: 'postgres://', [name]: address })),
    ).toContain(address);
});

describe('hints on the environment', () => {
  it('names that people write for a setting are listed as hints', () => {
    const environment = { DATABASE_URI: 'x', SITE_HOST: 'y', ADMIN_PORT: '1', LOG_FILE: '' };
    expect(environmentHints(environment)).toEqual([
      'the environment has unknown settings: DATABASE_URI (DATABASE_URL is meant?), SITE_HOST (SITE_BASE_URL is meant?); .env.example lists every setting',
    ]);
  });

  it('the names that other programs have for a database, and settings with our name before them, give a hint', () => {
    for (const name of ['DB_URL', 'PG_URL', 'POSTGRES_URL', 'POSTGRESQL_URI'])
      expect(environmentHints({ [name]: `postgres://me:secret@here/air` })).toEqual([
        `the environment has unknown settings: ${name} (DATABASE_URL is meant?); .env.example lists every setting`,
      ]);
    expect(environmentHints({ AIRSERIES_PORT: '80', AIRSERIES_COLOUR: 'red' })).toEqual([
      'the environment has unknown settings: AIRSERIES_PORT (PORT is meant?), AIRSERIES_COLOUR; .env.example lists every setting',
    ]);
    // another program of this machine may read it
    expect(environmentHints({ DB_URL: 'x', DATABASE_URL: 'postgres://here/air' })).toEqual([]);
  });

  it('variables of other programs give no hint', () => {
    const others =
      'PATH PAGER TZ HOME DEBUG HOST HOSTNAME BASE_URL PORTS LOGNAME PGHOST XDG_DATA_DIRS NODE_ENV ' +
      'DB_HOST POSTGRES_USER POSTGRES_DB POSTGRES_PASSWORD READER_PASSWORD';
    const environment = Object.fromEntries(others.split(' ').map((name) => [name, 'x']));
    expect(environmentHints(environment)).toEqual([]);
    expect(readConfig(environment)).toEqual(readConfig({}));
  });

  it('a setting in a file .env that is not read gives a hint', () => {
    const folder = temporaryFolder('environment');
    const hints = (environment: NodeJS.ProcessEnv) => environmentHints(environment, folder);
    expect(hints({})).toEqual([]);
    writeFileSync(
      join(folder, '.env'),
      "# ours\nexport PORT=80\nTIME_ZONE='Europe/Berlin'\nROLE=\nOTHER=1\n",
    );
    expect(hints({ PORT: '80', TIME_ZONE: 'Europe/Berlin' })).toEqual([]);
    expect(hints({ PORT: '80' })).toEqual([
      '.env sets TIME_ZONE, but is not read: first run "set -a; . ./.env; set +a" in this shell',
    ]);
  });
});
