/** The configuration is declared once; src/README.md and .env.example must agree with it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CONFIGURATION,
  checkPorts,
  environmentHints,
  readConfig,
  VARIABLES,
} from '../../src/config.ts';
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

/** The same of what is declared. */
const declaredVariables = (isWanted: (variable: (typeof CONFIGURATION)[number]) => boolean) =>
  CONFIGURATION.filter(isWanted).map(({ name, defaultsTo, meaning }) => [
    name,
    defaultsTo,
    meaning,
  ]);

it('the configuration is in src/README.md: every variable of the core, its default and its meaning', () => {
  expect(documentedVariables('src/README.md')).toEqual(declaredVariables(({ isCore }) => isCore));
});

it.each(EXTRAS)('that of the extra $name is in its README', ({ name, variables }) => {
  expect(documentedVariables(`src/extras/${name}/README.md`)).toEqual(
    declaredVariables(({ key }) => key in variables),
  );
});

it('the configuration is in .env.example, with the defaults', () => {
  const lines = [...textOf('.env.example').matchAll(/^(\w+)=(.*)$/gm)];
  const given = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  expect(Object.keys(given)).toEqual(expect.arrayContaining([...VARIABLES]));
  expect(readConfig(given)).toEqual(readConfig({}));
});

it('the configuration has the values of the environment, with the types that the service uses', () => {
  const config = readConfig({
    DATABASE_URL: 'postgres://me@here/air',
    PORT: '80',
    ADMIN_PORT: '',
    SITE_BASE_URL: 'https://air.example//',
    FIXED_NOW: '2026-11-20T12:00:00+04:00',
    RAW_RETENTION: '2 years',
  });
  expect(config).toMatchObject({
    databaseUrl: 'postgres://me@here/air',
    port: 80,
    adminPort: 8081,
    siteBaseUrl: 'https://air.example',
    fixedNow: new Date('2026-11-20T08:00:00Z'),
    rawRetention: '2 years',
    drainSeconds: 5,
  });
  expect(readConfig({})).toMatchObject({
    drainSeconds: 0,
    siteBaseUrl: '',
    role: 'all',
  });
});

it('the configuration defaults to the time zone and the epoch of a new database', () => {
  const defaults = Object.fromEntries(
    CONFIGURATION.map(({ name, defaultsTo }) => [name, defaultsTo]),
  );
  expect(defaults).toMatchObject({ TIME_ZONE: DEFAULT_TIME_ZONE, EPOCH: DEFAULT_EPOCH });
});

it.each([
  'postgres://',
  'postgresql:///air',
  'postgres://me:w%40,rd@one:5432/air?x=a,b@c',
  'postgres://[::1]:5432/air',
])('%s is an address', (url) => {
  expect(readConfig({ ROLE: 'api', READER_DATABASE_URL: url }).readerDatabaseUrl).toBe(url);
});

it('ROLE=api without a database is refused, because no worker would ever fill it', () => {
  expect(() => readConfig({ ROLE: 'api' })).toThrow(
    /^ROLE=api only serves what a worker computes: set READER_DATABASE_URL or DATABASE_URL.* leave ROLE unset\.$/,
  );
  for (const name of ['DATABASE_URL', 'READER_DATABASE_URL'])
    expect(readConfig({ ROLE: 'api', [name]: 'postgres://me@here/air' })).toMatchObject({
      role: 'api',
    });
  expect(readConfig({ ROLE: 'worker' })).toMatchObject({ role: 'worker' });
});

it.each(['pa#cret', '12#cret', '12/cret', 'pa/cret'])(
  'a password of %s is a mistake with a remedy, and not shown',
  (word) => {
    for (const name of ['DATABASE_URL', 'READER_DATABASE_URL']) {
      const read = () =>
        readConfig({ ROLE: 'api', [name]: `postgres://me:${word}@here:5432/air?sslmode=require` });
      expect(read).toThrow(
        `  ${name}: has # or / in the user or the password: write # as %23, and / as %2F`,
      );
      expect(read).not.toThrow('cret');
    }
  },
);

it('a password with a bare % is a mistake with a remedy, and not shown', () => {
  for (const name of ['DATABASE_URL', 'READER_DATABASE_URL'])
    for (const word of ['p%cret', '%ffcret']) {
      const read = () => readConfig({ ROLE: 'api', [name]: `postgres://me:${word}@here:5432/air` });
      expect(read).toThrow(`  ${name}: has % in the user or the password: write % as %25`);
      expect(read).not.toThrow('cret');
    }
  expect(readConfig({ DATABASE_URL: 'postgres://me:p%25@here/air' }).databaseUrl).toContain('%25');
});

it.each<[string, Record<string, string>, RegExp]>([
  ['a port that is none', { PORT: 'abc' }, /PORT=abc: must be a whole number from 0 to 65535$/],
  [
    'one that is too high',
    { ADMIN_PORT: '99999' },
    /ADMIN_PORT=99999: must be a whole number from/,
  ],
  ['two that are one', { INGEST_PORT: '8080' }, /PORT and INGEST_PORT are both 8080\. Set one/],
  ['two letters swapped', { PROT: '80' }, /\n {2}PROT=80: there is no such .*PORT is meant\?.*$/],
  ['a letter too few', { SITE_CONTAC: 'x' }, /\n {2}SITE_CONTAC=x: .* SITE_CONTACT is meant\?/],
  [
    'an address to listen on',
    { HOST: '0.0.0.0' },
    /\n {2}HOST=0\.0\.0\.0: there is no such setting/,
  ],
  ['a telephone as contact', { SITE_CONTACT: 'phone' }, /\n {2}SITE_CONTACT=phone: must be/],
  [
    'no day, said once',
    { EPOCH: 'soon' },
    /usable:\n {2}EPOCH=soon: must be the first of a month[^\n]*$/,
  ],
  ['no duration, said once', { RAW_RETENTION: 'soon' }, /usable:\n {2}RAW_RETENTION=soon: [^\n]*$/],
])('%s is a mistake with a remedy', (_, environment, said) => {
  expect(() => checkPorts(readConfig(environment))).toThrow(said);
});

describe('hints on the environment', () => {
  it('list unknown variables whose first word begins a setting', () => {
    const environment = { DATABASE_URI: 'x', SITE_HOST: 'y', ADMIN_PORT: '1', LOG_FILE: '' };
    expect(environmentHints(environment)).toEqual([
      'the environment has unknown settings: DATABASE_URI, SITE_HOST; .env.example lists every setting',
    ]);
  });

  it('leave variables of other programs alone', () => {
    const others = [
      'PATH',
      'PAGER',
      'TZ',
      'HOME',
      'DEBUG',
      'HOST',
      'HOSTNAME',
      'BASE_URL',
      'PORTS',
      'LOGNAME',
      'PGHOST',
      'XDG_DATA_DIRS',
      'POSTGRES_PASSWORD',
      'READER_PASSWORD',
      'NODE_ENV',
    ];
    const environment = Object.fromEntries(others.map((name) => [name, 'x']));
    expect(environmentHints(environment)).toEqual([]);
    expect(readConfig(environment)).toEqual(readConfig({}));
    // nor is a name refused beside the setting that it is near to
    expect(readConfig({ DATABASE_URI: 'x', DATABASE_URL: 'postgres://me@here/air' })).toMatchObject(
      {
        databaseUrl: 'postgres://me@here/air',
      },
    );
  });

  it('name what a file .env sets in vain', () => {
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

it.each([
  [
    'several hosts',
    'postgres://me:secret@one:5432,two/air',
    'names several hosts: name one. To read from several,',
  ],
  [
    'a port that is none',
    'postgres://me:secret@one:port/air',
    'must look like postgres://user:password@host:5432/',
  ],
  [
    'another protocol',
    'mysql://me:secret@one/air',
    'must look like postgres://user:password@host:5432/',
  ],
])('%s is said, and no password', (_, url, said) => {
  const read = () => readConfig({ ROLE: 'api', READER_DATABASE_URL: url });
  expect(read).toThrow(`READER_DATABASE_URL: ${said}`);
  expect(read).not.toThrow('secret');
});

const IMPOSSIBLE = [
  'https://air.example:99999',
  'https://a;b',
  'https://a%3bb',
  'https://',
  "https://a'b",
];

describe('a setting that is an address has a possible host and port', () => {
  it.each(['SITE_BASE_URL', 'SITE_CONTACT'])('%s', (name) => {
    for (const wrong of [
      ...IMPOSSIBLE,
      'air.example',
      'ftp://air.example',
      'https://me:secret@air.example',
      'phone',
    ])
      expect(() => readConfig({ [name]: wrong }), wrong).toThrow(
        new RegExp(`  ${name}=.*: must be `),
      );
    for (const right of [
      'https://air.example',
      'http://127.0.0.1:8080',
      'https://[::1]/air',
      'https://Երեւան.example',
    ])
      expect(Object.values(readConfig({ [name]: right }))).toContain(right);
  });

  it('bases of other addresses have no query and no fragment', () => {
    for (const wrong of ['https://air.example?a=1', 'https://air.example/#top'])
      expect(() => readConfig({ SITE_BASE_URL: wrong })).toThrow(
        `SITE_BASE_URL=${wrong}: must be `,
      );
  });

  it('SITE_CONTACT may be a page of a person, or a mail address', () => {
    const page = 'https://social.example/@air';
    expect(readConfig({ SITE_CONTACT: page }).siteContact).toBe(page);
    expect(readConfig({ SITE_CONTACT: 'air@town.example' }).siteContact).toBe('air@town.example');
    for (const wrong of ['mailto:air@town.example', 'air@', '+374 10 123456', 'air @town.example'])
      expect(() => readConfig({ SITE_CONTACT: wrong })).toThrow(
        /SITE_CONTACT=.* or of mail, such as/,
      );
  });
});
