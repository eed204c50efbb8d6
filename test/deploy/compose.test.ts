/** docker-compose.yml, checked without Docker: against the compose specification and the rest of the project. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { chooseCommand } from '../../src/commands/program.ts';
import { readConfig, VARIABLES } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';
import { makeAdminApp } from '../../src/metrics/adminApp.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { TRIED_TIMESCALE } from '../../src/schema/engine.ts';
import { compose, isOneShot, ours, ROOT, services, textOf, variablesOf, withDefaults, yamlOf } from './composeFile.ts';

const text = textOf('docker-compose.yml');
const defaults = readConfig({});

describe('the file', () => {
  const dclint = dirname(createRequire(import.meta.url).resolve('dclint/package.json'));
  const { $schema: _, ...schema } = JSON.parse(readFileSync(join(dclint, 'schemas/compose.schema.json'), 'utf8'));
  const valid = new Ajv({ strict: false, validateFormats: false }).compile(schema);

  it('is valid by the compose specification', () => {
    valid(compose);
    expect(valid.errors ?? []).toEqual([]);
    expect(valid({ services: { api: { image: 'x', health_check: {} } } })).toBe(false);
  });

  it('uses only variables that .env.example has, and no secret has a default', () => {
    const offered = [...textOf('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
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
      Object.entries(environment).filter(([name, value]) => /PASSWORD/.test(name) && !/^\$\{\w+:\?/.test(value)),
    );
    expect(written).toEqual([]);
  });
});

describe.each(services)('%s', (_name, service) => {
  it('runs without privileges, on a read-only file system', () => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.user).toMatch(/^(?!root\b|0\b)\w+/);
  });

  it('has an image with a full version, never the Apache edition', () => {
    if (service.image === 'airseries:local') return;
    expect(service.image).toMatch(/^[a-z]+\/[a-z]+:v?\d+\.\d+\.\d+(-pg\d+)?$/);
  });

  it('is published on this machine only', () => {
    expect((service.ports ?? []).filter((port) => !/^127\.0\.0\.1:(\d+):\1$/.test(port))).toEqual([]);
  });

  it('mounts files and volumes that exist', () => {
    for (const [from = '', to = '', mode] of (service.volumes ?? []).map((volume) => volume.split(':'))) {
      expect(to).toMatch(/^\//);
      if (from.startsWith('.')) expect([existsSync(join(ROOT, from)), mode]).toEqual([true, 'ro']);
      else expect(Object.keys(compose.volumes)).toContain(from);
    }
  });

  it('waits for one-shot services to succeed, and for the others to be healthy', () => {
    for (const [other, { condition, required }] of Object.entries(service.depends_on ?? {})) {
      const awaited = compose.services[other];
      expect(awaited).toBeDefined();
      expect(condition).toBe(isOneShot(awaited) ? 'service_completed_successfully' : 'service_healthy');
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
    const waiting = services.filter(([other]) => compose.services[other]?.depends_on?.[_name] !== undefined);
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
    expect(ours.filter(([, { build }]) => build === '.').map(([name]) => name)).toEqual(['migrate']);
  });

  it.each(ours)('%s has an environment of known variables, and the right login', (name, { environment = {} }) => {
    // PGPASSWORD is read by the driver
    expect(Object.keys(environment).filter((name) => !VARIABLES.includes(name))).toEqual(['PGPASSWORD']);
    const { databaseUrl, readerDatabaseUrls } = readConfig(withDefaults(environment));
    const owner = 'postgres://airseries_service@database:5432/airseries'; // no superuser
    const reader = 'postgres://airseries_api@database:5432/airseries';
    expect([databaseUrl, readerDatabaseUrls]).toEqual(name === 'api' ? [undefined, [reader]] : [owner, undefined]);
  });

  it.each(ours.filter(([, { command }]) => command !== undefined))('%s runs an existing command', (_, service) => {
    const [node, file, ...words] = service.command ?? [];
    expect([node, file]).toEqual(['node', 'dist/cli.js']);
    expect(chooseCommand(words)).toMatchObject({ run: expect.any(Function) });
  });

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
    const [, version, major] = /:([\d.]+)-pg(\d+)$/.exec(database?.image ?? '') ?? [];
    expect(version).toBe(TRIED_TIMESCALE.at(-1));
    const folder = database?.volumes?.[0]?.split(':')[1];
    expect(database?.environment?.PGDATA).toBe(`${folder}/${major}/docker`);
    expect(database?.healthcheck?.test?.slice(-4)).toEqual(['-U', 'airseries', '-d', 'airseries']);
    expect(database?.environment).toMatchObject({ POSTGRES_USER: 'airseries', POSTGRES_DB: 'airseries' });
  });

  it('the logins of Grafana and the API are those that sql/reader.sql creates', () => {
    const { api } = compose.services;
    expect(textOf('sql/reader.sql')).toContain(`('${new URL(api?.environment?.READER_DATABASE_URL ?? '').username}',`);
    expect(reader?.environment?.API_PASSWORD).toBe(api?.environment?.PGPASSWORD);
    expect(Object.keys(api?.depends_on ?? {})).toEqual(['reader']);
    expect(reader?.command?.at(-1)).toBe(reader?.volumes?.[0]?.split(':')[1]);
    expect(textOf('sql/reader.sql')).toContain(`('${grafana?.environment?.AIRSERIES_DATABASE_USER}',`);
    expect(reader?.environment?.READER_PASSWORD).toBe(grafana?.environment?.AIRSERIES_DATABASE_PASSWORD);
    const [host = '', port] = grafana?.environment?.AIRSERIES_DATABASE_HOST?.split(':') ?? [];
    expect([compose.services[host], port]).toEqual([database, '5432']);
  });

  it('Grafana gets exactly the variables that its provisioning uses', () => {
    const used = filesOf('grafana/provisioning').flatMap((path) =>
      [...textOf(path).matchAll(/\$\{?([A-Z][A-Z_]+)\b/g)].map(([, name]) => name),
    );
    const given = Object.keys(grafana?.environment ?? {}).filter((name) => !name.startsWith('GF_'));
    expect([...new Set(used)].sort()).toEqual(given.sort());
    expect(grafana?.environment?.PROMETHEUS_URL).toBe('http://prometheus:9090');
  });

  it('Grafana opens with the network: a dashboard that is mounted there', () => {
    const home = grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH;
    const mounts = (grafana?.volumes ?? []).map((volume) => volume.split(':'));
    const [from = '', to = ''] =
      mounts.find(([, inside = '']) => home?.startsWith(`${inside}/`) && inside !== '/var/lib/grafana') ?? [];
    expect(JSON.parse(textOf(`${home?.replace(to, from.replace('./', ''))}`))).toMatchObject({
      uid: 'airseries-network',
    });
  });

  it('Prometheus scrapes the admin ports of our services, sends alerts, and its rules are mounted where it reads them', () => {
    type Config = { scrape_configs: unknown; rule_files: string[]; alerting: unknown };
    const config = yamlOf('grafana/prometheus/prometheus.yml') as Config;
    const processes = (name: string) => ({ names: [name], type: 'A', port: defaults.adminPort }); // all behind that name
    expect(config.scrape_configs).toEqual([
      { job_name: 'airseries-api', dns_sd_configs: [processes('api')] },
      { job_name: 'airseries-worker', dns_sd_configs: [processes('worker')] },
    ]);
    expect(config.alerting).toEqual({ alertmanagers: [{ static_configs: [{ targets: ['alertmanager:9093'] }] }] });
    expect(prometheus?.volumes?.[0]).toBe('./grafana/prometheus:/etc/prometheus:ro');
    expect(config.rule_files).toEqual(['/etc/prometheus/rules/*.yml']);
    expect(filesOf('grafana/prometheus/rules').filter((path) => path.endsWith('.yml')).length).toBeGreaterThan(0);
  });
});

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(join(ROOT, path)).isFile());
}
