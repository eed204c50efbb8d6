/**
 * docker-compose.yml, checked without Docker against the rest of the project; CI has Docker Compose
 * read and start it.
 */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { makeJobs } from '../../../src/aggregate/jobs.ts';
import { makeLog } from '../../../src/base/log.ts';
import { CONFIGURATION, readConfig, VARIABLES } from '../../../src/config.ts';
import { POOL_SIZES } from '../../../src/database/pools.ts';
import { makeAdminApp } from '../../../src/metrics/adminApp.ts';
import { makeMetrics } from '../../../src/metrics/definitions.ts';
import { TRIED_TIMESCALE } from '../../../src/schema/engine.ts';
import { SHUTDOWN_TIMEOUT_MS } from '../../../src/service.ts';
import { choose as chooseWords } from '../../support/command.ts';
import { freePort } from '../../support/freePort.ts';
import { runProgram } from '../../support/program.ts';
import { findPsql, needs } from '../../support/tools.ts';
import {
  type Compose,
  compose,
  isOneShot,
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
const defaults = readConfig({});

describe('the file', () => {
  /** Keys of a service that came after 2.26.1, and the Compose that brought them. */
  const NEWER = {
    ...{
      post_start: '2.30.0',
      pre_stop: '2.30.0',
      gpus: '2.30.0',
      label_file: '2.32.2',
      provider: '2.36.0',
    },
    ...{ use_api_socket: '2.37.0', models: '2.38.0' },
  };

  /**
   * What Compose refuses although the specification admits it. A config or secret that is not a
   * file has to be copied into the container: with a read-only file system, 2.26.1 fails when it
   * creates the container, and 2.33.1 and newer refuse it by themselves (docker/compose#12031).
   * Both were seen, on 2.26.1 and 2.40.3.
   */
  function refused({ services: all, configs = {}, secrets = {} }: Compose): string[] {
    return Object.entries(all).flatMap(([name, service]) => {
      const copied = (['configs', 'secrets'] as const).flatMap((kind) => {
        const declared = kind === 'configs' ? configs : secrets;
        const names = (service[kind] ?? []).map((given) =>
          typeof given === 'string' ? given : given.source,
        );
        return service.read_only ? names.filter((one) => declared[one]?.file === undefined) : [];
      });
      const newer = Object.keys(service).filter((key) => key in NEWER);
      return [...copied, ...newer].map((what) => `${name}: ${what}`);
    });
  }

  it('has nothing that Compose 2.26.1 or Compose 2.33.1 and newer refuses, and 2.26.1 is the oldest that the README admits', () => {
    expect(refused(compose)).toEqual([]);
    const image = { image: 'x', read_only: true };
    const trap = {
      services: {
        ...{ a: { ...image, configs: [{ source: 'written' }] }, b: { ...image, secrets: ['key'] } },
        ...{
          c: { ...image, configs: ['kept'] },
          d: { ...image, read_only: false, configs: ['written'] },
        },
        e: { ...image, gpus: 'all' },
      },
      configs: { written: { content: 'text' }, kept: { file: './kept' } },
      secrets: { key: { environment: 'KEY' } },
    };
    expect(refused({ ...trap, volumes: {}, networks: {} })).toEqual([
      'a: written',
      'b: key',
      'e: gpus',
    ]);
    expect(textOf('README.md')).toContain('Docker Compose 2.26.1 or newer');
  });

  it('asks nothing of a variable that may be unset without saying so, or Compose warns at every command', () => {
    expect(text.match(/\$\{\w+\}|(?<!\$)\$[A-Za-z_]\w*/g)).toBeNull();
  });

  it('uses only variables that .env.example has, and no secret has a default', () => {
    const offered = [...textOf('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    // of Compose itself: without it `down` would leave the demo's container
    expect(offered).toContain('COMPOSE_PROFILES');
    expect(textOf('README.md') + textOf('.github/workflows/ci.yml')).not.toContain('--profile');
    const taken = variablesOf(text);
    expect(taken.filter(({ name }) => !offered.includes(name))).toEqual([]);
    const secret = taken.filter(({ required }) => required).map(({ name }) => name);
    expect([...new Set(secret)].sort()).toEqual([
      'API_PASSWORD',
      'GRAFANA_PASSWORD',
      'GRAFANA_SECRET_KEY',
      'POSTGRES_PASSWORD',
      'READER_PASSWORD',
      'SERVICE_PASSWORD',
    ]);
    const written = services.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).filter(
        ([name, value]) => /PASSWORD/.test(name) && !/^\$\{\w+:\?/.test(value),
      ),
    );
    expect(written).toEqual([]);
  });
});

describe.each(services)('%s', (_name, service) => {
  it('runs without privileges, on a read-only file system', () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service.user).toMatch(/^(?!root\b|0\b)\w+/);
  });

  it('has an image with a full version, never the Apache edition', () => {
    if (service.image === 'airseries:local') return;
    expect(service.image).toMatch(/^[a-z]+\/[a-z]+:v?\d+\.\d+\.\d+(-pg\d+)?$/);
  });

  it('is published on this machine only', () => {
    expect((service.ports ?? []).filter((port) => !/^127\.0\.0\.1:(\d+):\1$/.test(port))).toEqual(
      [],
    );
  });

  it('mounts files and volumes that exist', () => {
    for (const [from = '', to = '', mode] of (service.volumes ?? []).map((volume) =>
      volume.split(':'),
    )) {
      expect(to).toMatch(/^\//);
      if (from.startsWith('.')) expect([existsSync(join(ROOT, from)), mode]).toEqual([true, 'ro']);
      else expect(Object.keys(compose.volumes)).toContain(from);
    }
  });

  it('waits for one-shot services to succeed, and for the others to be healthy', () => {
    for (const [other, { condition, required }] of Object.entries(service.depends_on ?? {})) {
      const awaited = compose.services[other];
      expect(awaited).toBeDefined();
      expect(condition).toBe(
        isOneShot(awaited) ? 'service_completed_successfully' : 'service_healthy',
      );
      expect(required).toBe(awaited?.profiles === undefined ? undefined : false);
    }
  });

  it('has a limit of memory', () => {
    expect(service.mem_limit).toMatch(/^(\d+[mg]|\$\{DATABASE_MEMORY:-\d+GB\})$/);
  });

  it('is in a network that leads nowhere if it only needs the database', () => {
    const reachesOut = service.ports !== undefined && _name !== 'database';
    expect(service.networks?.includes('outside')).toBe(reachesOut);
    expect(compose.networks.inside).toEqual({ internal: true });
  });

  it('has a health check, or ends and another service waits for that', () => {
    const waiting = services.filter(
      ([other]) => compose.services[other]?.depends_on?.[_name] !== undefined,
    );
    if (isOneShot(service)) {
      expect(service.healthcheck?.test).toBeUndefined();
      // otherwise `up --wait` would take its end for a failure
      expect(waiting.filter(([, other]) => !isOneShot(other)).length).toBeGreaterThan(0);
    } else {
      expect(service.restart).toBe('unless-stopped');
      expect(service.healthcheck?.test?.[0]).toBe('CMD');
    }
  });
});

describe('our own services', () => {
  it('share one image, which one of them builds', () => {
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'api', 'worker', 'demo']);
    expect(ours.filter(([, { build }]) => build === '.').map(([name]) => name)).toEqual([
      'migrate',
    ]);
  });

  it.each(ours)(
    '%s has an environment of known variables, and the right login',
    (name, { environment = {} }) => {
      // PGPASSWORD is read by the driver
      expect(Object.keys(environment).filter((name) => !VARIABLES.includes(name))).toEqual([
        'PGPASSWORD',
      ]);
      const { databaseUrl, readerDatabaseUrl } = readConfig(withDefaults(environment));
      const owner = 'postgres://airseries_service@database:5432/airseries'; // no superuser
      const reader = 'postgres://airseries_api@database:5432/airseries';
      expect([databaseUrl, readerDatabaseUrl]).toEqual(
        name === 'api' ? [undefined, reader] : [owner, undefined],
      );
    },
  );

  /** Variables that a container has no use for. */
  const NOT_IN_DOCKER = {
    DATA_DIR: 'there is a DATABASE_URL, so no server is embedded',
    PORT: 'another port of this machine is set in `ports`',
    ADMIN_PORT: 'health checks and Prometheus ask that of the image',
    INGEST_PORT: 'another port of this machine is set in `ports`',
    MAP_GROUND: 'names a file, which an override mounts and sets together',
    FIXED_NOW: 'for checks; a service with it would go wrong',
  };

  it('are given every variable of the configuration, or there is a reason', () => {
    const given = new Set(ours.flatMap(([, { environment = {} }]) => Object.keys(environment)));
    expect(VARIABLES.filter((name) => !given.has(name)).toSorted()).toEqual(
      Object.keys(NOT_IN_DOCKER).toSorted(),
    );
    const set = ours.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).flatMap(([name, value]) =>
        value === `\${${name}:-}` ? name : [],
      ),
    );
    const fixed = [
      'DATABASE_URL',
      'READER_DATABASE_URL',
      'ADMIN_HOST',
      'ROLE',
      'INGEST_HOST',
      'DEMO',
    ];
    expect([...given].filter((name) => !set.includes(name)).sort()).toEqual(
      [...fixed, 'PGPASSWORD'].sort(),
    );
    const said = textOf('src/commands/README.md').split('## Docker')[1]?.split('\n## ')[0] ?? '';
    expect([...new Set(set)].filter((name) => !said.includes(`\`${name}\``))).toEqual([]);
  });

  it('may take as long to stop as DRAIN_SECONDS can be', () => {
    const longest = 300;
    expect(() => readConfig({ DRAIN_SECONDS: `${longest + 1}` })).toThrow();
    expect(readConfig({ DRAIN_SECONDS: `${longest}` }).drainSeconds).toBe(longest);
    const grace = ours.map(([, { stop_grace_period: period = '' }]) => Number.parseInt(period, 10));
    expect(Math.min(...grace)).toBeGreaterThan(longest + SHUTDOWN_TIMEOUT_MS / 1_000);
  });

  it.each(ours.filter(([, { command }]) => command !== undefined))(
    '%s runs an existing command',
    (_, service) => {
      const [node, file, ...words] = service.command ?? [];
      expect([node, file]).toEqual(['node', 'dist/cli.js']);
      expect(chooseWords(words)).toMatchObject({ run: expect.any(Function) });
    },
  );

  it('listen on the published ports, and answer their health checks', async () => {
    const { api, worker } = compose.services;
    expect(api?.ports).toEqual([`127.0.0.1:${defaults.port}:${defaults.port}`]);
    expect(worker?.ports).toEqual([`127.0.0.1:${defaults.ingestPort}:${defaults.ingestPort}`]);
    expect([api, worker].map((service) => service?.environment?.ROLE)).toEqual(['api', 'worker']);
    expect(worker?.environment?.INGEST_HOST).toBe('0.0.0.0');
    for (const service of [api, worker]) {
      const url = new URL(service?.healthcheck?.test?.at(-1) ?? '');
      expect([url.hostname, Number(url.port)]).toEqual(['127.0.0.1', defaults.adminPort]);
      for (const [ok, status] of [
        [true, 200],
        [false, 503],
      ] as const) {
        const app = makeAdminApp({
          ready: async () => ({ ok, checks: {} }),
          metrics: makeMetrics(),
          log: makeLog('silent'),
        });
        expect((await request(app).get(url.pathname)).status).toBe(status);
      }
    }
  });
});

describe('the other services', () => {
  const { database, reader, prometheus, grafana } = compose.services;

  it('the database is the newest TimescaleDB that was tried, with its data on the volume', () => {
    const [, version, major] = /:(\d+\.\d+\.\d+)-pg(\d+)$/.exec(database?.image ?? '') ?? [];
    expect(version).toBe(TRIED_TIMESCALE.at(-1));
    const folder = database?.volumes?.[0]?.split(':')[1];
    expect(database?.environment?.PGDATA).toBe(`${folder}/${major}/docker`);
    expect(database?.healthcheck?.test?.slice(-4)).toEqual(['-U', 'airseries', '-d', 'airseries']);
    expect(database?.environment).toMatchObject({
      POSTGRES_USER: 'airseries',
      POSTGRES_DB: 'airseries',
    });
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

  it('the memory of the database is said once, as Compose writes it: the image fits its settings to the limit of the container', () => {
    expect(text.match(/DATABASE_MEMORY/g)).toHaveLength(1);
    expect(
      Object.keys(database?.environment ?? {}).filter((name) => name.startsWith('TS_TUNE')),
    ).toEqual([]);
  });

  it(
    'a refused superuser is told how to give the server the password of .env',
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
      expect(reader?.entrypoint).toEqual(service?.entrypoint);
    },
  );

  it('the logins of Grafana and the API are those that sql/reader.sql creates', () => {
    const { api } = compose.services;
    expect(textOf('sql/reader.sql')).toContain(
      `('${new URL(api?.environment?.READER_DATABASE_URL ?? '').username}',`,
    );
    expect(reader?.environment?.API_PASSWORD).toBe(api?.environment?.PGPASSWORD);
    expect(Object.keys(api?.depends_on ?? {})).toEqual(['reader']);
    expect(reader?.command?.at(-1)).toBe(reader?.volumes?.[0]?.split(':')[1]);
    expect(textOf('sql/reader.sql')).toContain(
      `('${grafana?.environment?.AIRSERIES_DATABASE_USER}',`,
    );
    expect(reader?.environment?.READER_PASSWORD).toBe(
      grafana?.environment?.AIRSERIES_DATABASE_PASSWORD,
    );
    const [host = '', port] = grafana?.environment?.AIRSERIES_DATABASE_HOST?.split(':') ?? [];
    expect([compose.services[host], port]).toEqual([database, '5432']);
  });

  it('Grafana gets exactly the variables that its provisioning uses', () => {
    const used = filesOf('grafana/provisioning').flatMap((path) =>
      [...textOf(path).matchAll(/\$([A-Z][A-Z_]+)\b/g)].map(([, name]) => name),
    );
    const given = Object.keys(grafana?.environment ?? {}).filter((name) => !name.startsWith('GF_'));
    expect([...new Set(used)].sort()).toEqual(given.sort());
    expect(grafana?.environment?.PROMETHEUS_URL).toBe('http://prometheus:9090');
    const zone = CONFIGURATION.find(({ name }) => name === 'TIME_ZONE')?.defaultsTo;
    // the network's
    expect(grafana?.environment?.GF_DATE_FORMATS_DEFAULT_TIMEZONE).toBe(`$\{TIME_ZONE:-${zone}}`);
  });

  it('Grafana opens with the network: a dashboard that is mounted there', () => {
    const home = grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH;
    const mounts = (grafana?.volumes ?? []).map((volume) => volume.split(':'));
    const [from = '', to = ''] =
      mounts.find(
        ([, inside = '']) => home?.startsWith(`${inside}/`) && inside !== '/var/lib/grafana',
      ) ?? [];
    expect(JSON.parse(textOf(`${home?.replace(to, from.replace('./', ''))}`))).toMatchObject({
      uid: 'airseries-network',
    });
  });

  it('Prometheus scrapes the admin ports of our services, sends alerts, and its rules are mounted where it reads them', () => {
    type Config = { scrape_configs: unknown; rule_files: string[]; alerting: unknown };
    const config = yamlOf('grafana/prometheus/prometheus.yml') as Config;
    // all behind that name
    const processes = (name: string) => ({ names: [name], type: 'A', port: defaults.adminPort });
    expect(config.scrape_configs).toEqual([
      { job_name: 'airseries-api', dns_sd_configs: [processes('api')] },
      { job_name: 'airseries-worker', dns_sd_configs: [processes('worker')] },
    ]);
    expect(config.alerting).toEqual({
      alertmanagers: [{ static_configs: [{ targets: ['alertmanager:9093'] }] }],
    });
    expect(prometheus?.volumes?.[0]).toBe('./grafana/prometheus:/etc/prometheus:ro');
    expect(config.rule_files).toEqual(['/etc/prometheus/rules/*.yml']);
    expect(
      filesOf('grafana/prometheus/rules').filter((path) => path.endsWith('.yml')).length,
    ).toBeGreaterThan(0);
  });
});

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(join(ROOT, path)).isFile());
}
