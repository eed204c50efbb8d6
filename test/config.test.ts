/** The configuration is declared once; README and .env.example must agree with it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONFIGURATION, readConfig, splitHosts, VARIABLES } from '../src/config.ts';
import { DEFAULT_EPOCH, DEFAULT_TIME_ZONE } from '../src/schema/migrate.ts';

const textOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

it('the configuration is in the README: every variable, its default and its meaning', () => {
  const [, table = ''] = /\n\| variable +\| default .*\n\|[-| ]+\n((?:\|.*\n)+)/.exec(textOf('README.md')) ?? [];
  const rows = table.trimEnd().split('\n');
  const documented = rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replace(/^`([^`]+)`$/, '$1')),
  );
  expect(documented).toEqual(CONFIGURATION.map(({ name, defaultsTo, meaning }) => [name, defaultsTo, meaning]));
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
    PULL_HOSTS: 'data.example, other.example:8443',
    SITE_BASE_URL: 'https://air.example//',
    FIXED_NOW: '2026-11-20T12:00:00+04:00',
    RAW_RETENTION: '2 years',
  });
  expect(config).toMatchObject({
    databaseUrl: 'postgres://me@here/air',
    port: 80,
    adminPort: 8081,
    pullHosts: ['data.example', 'other.example:8443'],
    siteBaseUrl: 'https://air.example',
    fixedNow: new Date('2026-11-20T08:00:00Z'),
    rawRetention: '2 years',
    drainSeconds: 5,
  });
  expect(readConfig({})).toMatchObject({ drainSeconds: 0, pullHosts: [], siteBaseUrl: '', role: 'all' });
});

it('the configuration defaults to the time zone and the epoch of a new database', () => {
  const defaults = Object.fromEntries(CONFIGURATION.map(({ name, defaultsTo }) => [name, defaultsTo]));
  expect(defaults).toMatchObject({ TIME_ZONE: DEFAULT_TIME_ZONE, EPOCH: DEFAULT_EPOCH });
});

it.each([
  ['postgres://me:word@one:5432/air', ['postgres://me:word@one:5432/air']],
  ['postgres://', ['postgres://']],
  ['postgresql:///air', ['postgresql:///air']],
  [
    'postgres://me:w%40,rd@one:5432,two:5433,three/air?pooler=transaction',
    ['one:5432', 'two:5433', 'three'].map((host) => `postgres://me:w%40,rd@${host}/air?pooler=transaction`),
  ],
  ['postgres://[::1]:5432,[::2]/air', ['postgres://[::1]:5432/air', 'postgres://[::2]/air']],
  [
    'postgres://one,two?sslmode=require&x=a,b@c',
    ['one', 'two'].map((host) => `postgres://${host}?sslmode=require&x=a,b@c`),
  ],
])('the hosts of %s are each a URL', (url, urls) => {
  expect(splitHosts(url)).toEqual(urls);
  expect(readConfig({ ROLE: 'api', READER_DATABASE_URL: url }).readerDatabaseUrls).toEqual(urls);
});

it.each([
  [
    'one host that is none',
    'postgres://me:secret@one,two:port/air',
    'must look like postgres://user:password@host:5432/',
  ],
  ['one host that is missing', 'postgres://me:secret@one,/air', 'must look like postgres://user:password@host:5432/'],
  ['one host twice', 'postgres://me:secret@one,one/air', 'must not name a host twice'],
  ['another protocol', 'mysql://me:secret@one,two/air', 'must look like postgres://user:password@host:5432/'],
])('%s is said, and no password', (_, url, said) => {
  const read = () => readConfig({ ROLE: 'api', READER_DATABASE_URL: url });
  expect(read).toThrow(`READER_DATABASE_URL: ${said}`);
  expect(read).not.toThrow('secret');
});
