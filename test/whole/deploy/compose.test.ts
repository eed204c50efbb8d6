/**
 * docker-compose.yml and the workflows: rules that keep a user from harm, and that no run would
 * show. The job `compose` of the workflow starts the file, and shows that each part reaches the
 * others.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeJobs } from '../../../src/aggregate/jobs.ts';
import { readConfig, VARIABLES } from '../../../src/config.ts';
import { POOL_SIZES } from '../../../src/database/pools.ts';
import { NEWEST_TRIED } from '../../../src/schema/engine.ts';
import { SHUTDOWN_TIMEOUT_MS } from '../../../src/service.ts';
import { whereComplete } from '../../support/complete.ts';
import { freePort } from '../../support/freePort.ts';
import { runProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { findPsql, needs } from '../../support/tools.ts';
import {
  compose,
  ours,
  ROOT,
  services,
  textOf,
  unescaped,
  variablesOf,
  withDefaults,
  yamlOf,
} from './composeFile.ts';

const text = textOf('docker-compose.yml');

it.each(services)('service %s is confined, and reached from this machine only', (name, service) => {
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.stringMatching(/^(\d+[mg]|\$\{DATABASE_MEMORY:-\d+GB\})$/),
    user: expect.stringMatching(/^(?!root\b|0\b)\w+/),
  });
  const { image, ports = [], networks } = service;
  if (image !== 'airseries:local')
    expect(image).toMatch(/^[a-z]+\/[a-z]+:v?\d+\.\d+\.\d+(-pg\d+)?$/); // no Apache edition
  expect(ports.filter((port) => !/^127\.0\.0\.1:(\d+):\1$/.test(port))).toEqual([]);
  // what only needs the database is in a network that leads nowhere
  expect(networks?.includes('outside')).toBe(ports.length > 0 && name !== 'database');
  expect(compose.networks.inside).toEqual({ internal: true });
});

it('docker-compose.yml uses only variables that .env.example has, and no secret has a default', () => {
  const offered = [...textOf('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  const taken = variablesOf(text);
  expect(taken.filter(({ name }) => !offered.includes(name))).toEqual([]);
  const isSecret = (name: string) => /PASSWORD|SECRET/.test(name);
  const secret = taken.filter(({ name }) => isSecret(name));
  expect(secret).not.toEqual([]);
  expect(secret.filter(({ required }) => !required)).toEqual([]);
  const written = services.flatMap(([, { environment = {} }]) =>
    Object.entries(environment).filter(
      ([name, value]) => isSecret(name) && !/^\$\{\w+:\?/.test(value),
    ),
  );
  expect(written).toEqual([]);
});

describe('our own services', () => {
  it.each(ours)('service %s has the login with the least rights', (name, { environment }) => {
    const { databaseUrl, readerDatabaseUrl } = readConfig(withDefaults(environment));
    const owner = 'postgres://airseries_service@database:5432/airseries'; // no superuser
    const reader = 'postgres://airseries_api@database:5432/airseries';
    expect([databaseUrl, readerDatabaseUrl]).toEqual(
      name === 'api' ? [undefined, reader] : [owner, undefined],
    );
  });

  /** Variables that a container has no use for. */
  const NOT_IN_DOCKER = {
    DATA_DIR: 'there is a DATABASE_URL, so no server is embedded',
    PORT: 'another port of this machine is set in `ports`',
    ADMIN_PORT: 'health checks and Prometheus use the port of the image',
    INGEST_PORT: 'another port of this machine is set in `ports`',
    MAP_GROUND: 'names a file, which an override mounts and sets together',
    FIXED_NOW: 'for checks; a service with it would go wrong',
  };

  it(
    'our services are given every variable of the configuration, or there is a reason',
    whereComplete,
    () => {
      const given = new Set(ours.flatMap(([, { environment = {} }]) => Object.keys(environment)));
      expect(VARIABLES.filter((name) => !given.has(name)).toSorted()).toEqual(
        Object.keys(NOT_IN_DOCKER).toSorted(),
      );
      const page = textOf('src/commands/README.md').split('## Docker')[1]?.split('\n## ')[0] ?? '';
      const set = ours.flatMap(([, { environment = {} }]) =>
        Object.entries(environment).flatMap(([name, value]) =>
          value === `\${${name}:-}` ? name : [],
        ),
      );
      expect(set.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
      expect(compose.services.worker?.environment?.INGEST_HOST).toBe('0.0.0.0');
    },
  );

  it('our services may take as long to stop as DRAIN_SECONDS can be', () => {
    const longest = 300;
    expect(() => readConfig({ DRAIN_SECONDS: `${longest + 1}` })).toThrow();
    const grace = ours.map(([, { stop_grace_period: period = '' }]) => Number.parseInt(period, 10));
    expect(Math.min(...grace)).toBeGreaterThan(longest + SHUTDOWN_TIMEOUT_MS / 1_000);
  });
});

describe('the database', () => {
  const { database } = compose.services;

  it('the database is the newest TimescaleDB that was tried, and has its data on the volume', () => {
    const [, version, major] = /:(\d+\.\d+\.\d+)-pg(\d+)$/.exec(database?.image ?? '') ?? [];
    expect(version).toBe(NEWEST_TRIED);
    const folder = database?.volumes?.[0]?.split(':')[1];
    expect(database?.environment?.PGDATA).toBe(`${folder}/${major}/docker`);
  });

  it('the database admits as many connections as all processes may open, with a reserve', () => {
    const [, most] = /max_connections=(\d+)/.exec(database?.command?.join(' ') ?? '') ?? [];
    const [, ofGrafana] =
      /role grafana connection limit (\d+)/.exec(textOf('sql/reader.sql')) ?? [];
    const PROBE = 1;
    const { read, readAll, readiness, ingest } = POOL_SIZES;
    const pull = 1;
    const EXTRAS = 2; // the demo's job and the feeds'
    const jobs = makeJobs({} as Parameters<typeof makeJobs>[0]).length + EXTRAS;
    const budget = {
      api: read + readAll + PROBE,
      // each job has a connection and its probe; pulling stores readings besides, and the history
      // of the demo comes behind the jobs
      worker:
        readiness + readAll + PROBE + ingest + PROBE + (jobs + 1) * (1 + PROBE) + pull + PROBE,
      grafana: Number(ofGrafana),
      command: 6,
    };
    const [, section = ''] =
      /## Connections\n\n([^#]+)/.exec(textOf('src/database/README.md')) ?? [];
    const said =
      /An API process [^:]*? (\d+) [\s\S]*?worker opens at most (\d+)[\s\S]*?login may have (\d+), a command has up to (\d+)/;
    expect(said.exec(section)?.slice(1).map(Number)).toEqual(Object.values(budget));
    expect(section).toContain(`is ${most}.`);
    const together = Object.values(budget).reduce((sum, one) => sum + one);
    const RESERVED = 3; // for superusers, by default: psql and health checks
    expect(together + RESERVED + 5).toBeLessThanOrEqual(Number(most));
  });

  it(
    'a refused superuser learns how to give the server the password of .env',
    needs('psql'),
    async () => {
      const { service } = compose.services;
      const [, ...words] = service?.command ?? [];
      const run = (command: string[], environment: Record<string, string>) =>
        runProgram([...unescaped(service?.entrypoint), ...command], { environment }).finished;
      const refusal = await run([findPsql() ?? '', ...words], {
        PGHOST: '127.0.0.1',
        PGPORT: await freePort(),
      });
      expect([refusal.code, refusal.stderr]).toEqual([
        2,
        expect.stringMatching(/POSTGRES_PASSWORD[\s\S]* -c '\\password'\n/),
      ]);
      // another failure is psql's own
      expect(await run(['sh', '-c', 'exit 3'], {})).toEqual({ code: 3, stdout: '', stderr: '' });
    },
  );
});

type Receiver = { name: string; webhook_configs: { url: string }[] | null };

it.each([
  {},
  { ALERT_WEBHOOK_URL: 'http://a.example/hook?a=1&b=2' },
  { ALERT_WEBHOOK_URL: 'http://a.example/hook', ALERT_HEARTBEAT_URL: 'http://b.example/beat' },
])(
  'Alertmanager sends to the addresses that are set, and nowhere else (%o)',
  needs('awk'),
  (addresses: Record<string, string>) => {
    const folder = temporaryFolder('alerting');
    // the container writes the file, and then becomes Alertmanager
    writeFileSync(join(folder, 'alertmanager'), '#!/bin/sh\n', { mode: 0o755 });
    const [shell = '', ...words] = unescaped(compose.services.alertmanager?.entrypoint).map(
      (word) =>
        word
          .replaceAll('/tmp/', `${folder}/`)
          .replace('/etc/alertmanager/', join(ROOT, 'grafana/prometheus/')),
    );
    const env = { ...addresses, PATH: `${folder}:${process.env.PATH}` };
    const { status, stderr } = spawnSync(shell, words, { env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const { receivers } = parse(readFileSync(join(folder, 'alertmanager.yml'), 'utf8'));
    expect(
      receivers.map(({ name, webhook_configs: to }: Receiver) => [name, to?.map(({ url }) => url)]),
    ).toEqual([
      ['webhook', addresses.ALERT_WEBHOOK_URL && [addresses.ALERT_WEBHOOK_URL]],
      ['heartbeat', addresses.ALERT_HEARTBEAT_URL && [addresses.ALERT_HEARTBEAT_URL]],
    ]);
  },
);

type Job = { permissions?: object; steps: { uses?: string; with?: object }[] };
type Workflow = { on: unknown; permissions: unknown; jobs: Record<string, Job> };

it.each(['ci', 'nightly', 'release'])(
  'the workflow %s may only read, but for the release of a tag, and its actions are fixed',
  (name) => {
    const { on, permissions, jobs } = yamlOf(`.github/workflows/${name}.yml`) as Workflow;
    expect(permissions).toEqual({ contents: 'read' });
    const given = Object.values(jobs).flatMap((job) => job.permissions ?? []);
    const toRelease = { contents: 'write', 'id-token': 'write', attestations: 'write' };
    expect(given).toEqual(name === 'release' ? [toRelease] : []);
    if (name === 'release') expect(on).toEqual({ push: { tags: ['v*'] } });
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.filter((action) => !/^actions\/[\w-]+@v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
    for (const { uses = '', with: options } of steps)
      if (uses.startsWith('actions/checkout@'))
        expect(options).toEqual({ 'persist-credentials': false });
  },
);
