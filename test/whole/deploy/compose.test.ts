/**
 * docker-compose.yml: rules over all services that keep a user from harm, and that no run would
 * show. The job `compose` of the workflow starts the file, and shows that each part reaches the
 * others.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJobs } from '../../../src/aggregate/jobs.ts';
import { CONFIGURATION, readConfig, VARIABLES } from '../../../src/config.ts';
import { POOL_SIZES } from '../../../src/database/pools.ts';
import { NEWEST_TRIED } from '../../../src/schema/engine.ts';
import { SHUTDOWN_TIMEOUT_MS } from '../../../src/service.ts';
import { choose as chooseWords } from '../../support/command.ts';
import { freePort } from '../../support/freePort.ts';
import { runProgram } from '../../support/program.ts';
import { findPsql, needs } from '../../support/tools.ts';
import {
  compose,
  isOneShot,
  ours,
  ROOT,
  services,
  textOf,
  unescaped,
  variablesOf,
  withDefaults,
} from './composeFile.ts';

const text = textOf('docker-compose.yml');
const defaults = readConfig({});

describe('the file', () => {
  /** Keys of a service that came after Compose 2.26.1, the oldest that the README admits. */
  const NEWER = 'post_start|pre_stop|gpus|label_file|provider|use_api_socket|models';

  // a read-only container cannot get a config or a secret
  it('docker-compose.yml has nothing that Compose 2.26.1 refuses, and no config or secret', () => {
    expect(services.flatMap(([, service]) => Object.keys(service))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(`^(${NEWER}|configs|secrets)$`)]),
    );
  });

  it('docker-compose.yml says of every variable if it may be unset, or Compose would warn', () => {
    expect(text.match(/\$\{\w+\}|(?<!\$)\$[A-Za-z_]\w*/g)).toBeNull();
  });

  it('docker-compose.yml uses only variables that .env.example has, and no secret has a default', () => {
    const offered = [...textOf('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    const taken = variablesOf(text);
    expect(taken.filter(({ name }) => !offered.includes(name))).toEqual([]);
    const secret = taken.filter(({ name }) => /PASSWORD|SECRET/.test(name));
    expect(secret).not.toEqual([]);
    expect(secret.filter(({ required }) => !required)).toEqual([]);
    const written = services.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).filter(
        ([name, value]) => /PASSWORD|SECRET/.test(name) && !/^\$\{\w+:\?/.test(value),
      ),
    );
    expect(written).toEqual([]);
  });
});

describe.each(services)('%s', (name, service) => {
  it(`service ${name} runs without privileges, on a read-only file system`, () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service.user).toMatch(/^(?!root\b|0\b)\w+/);
  });

  it(`service ${name} has an image with a full version, never the Apache edition`, () => {
    if (service.image === 'airseries:local') return;
    expect(service.image).toMatch(/^[a-z]+\/[a-z]+:v?\d+\.\d+\.\d+(-pg\d+)?$/);
  });

  it(`service ${name} is published on this machine only`, () => {
    expect((service.ports ?? []).filter((port) => !/^127\.0\.0\.1:(\d+):\1$/.test(port))).toEqual(
      [],
    );
  });

  it(`service ${name} mounts files and volumes that exist`, () => {
    for (const [from = '', to = '', mode] of (service.volumes ?? []).map((volume) =>
      volume.split(':'),
    )) {
      expect(to).toMatch(/^\//);
      if (from.startsWith('.')) expect([existsSync(join(ROOT, from)), mode]).toEqual([true, 'ro']);
      else expect(Object.keys(compose.volumes)).toContain(from);
    }
  });

  it(`service ${name} waits for one-shot services to succeed, and for others to be healthy`, () => {
    for (const [other, { condition, required }] of Object.entries(service.depends_on ?? {})) {
      const awaited = compose.services[other];
      expect(awaited).toBeDefined();
      expect(condition).toBe(
        isOneShot(awaited) ? 'service_completed_successfully' : 'service_healthy',
      );
      expect(required).toBe(awaited?.profiles === undefined ? undefined : false);
    }
  });

  it(`service ${name} has a limit of memory`, () => {
    expect(service.mem_limit).toMatch(/^(\d+[mg]|\$\{DATABASE_MEMORY:-\d+GB\})$/);
  });

  it(`service ${name} is in a network that leads nowhere if it only needs the database`, () => {
    const reachesOut = service.ports !== undefined && name !== 'database';
    expect(service.networks?.includes('outside')).toBe(reachesOut);
    expect(compose.networks.inside).toEqual({ internal: true });
  });

  it(`service ${name} has a health check, or ends while another service waits for that`, () => {
    const waiting = services.filter(
      ([other]) => compose.services[other]?.depends_on?.[name] !== undefined,
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
  it.each(ours)(
    'service %s has an environment of known variables, and the right login',
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
    ADMIN_PORT: 'health checks and Prometheus use the port of the image',
    INGEST_PORT: 'another port of this machine is set in `ports`',
    MAP_GROUND: 'names a file, which an override mounts and sets together',
    FIXED_NOW: 'for checks; a service with it would go wrong',
  };

  it('our services are given every variable of the configuration, or there is a reason', () => {
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
      'ARCHIVE_DIR',
    ];
    expect([...given].filter((name) => !set.includes(name)).sort()).toEqual(
      [...fixed, 'PGPASSWORD'].sort(),
    );
    const said = textOf('src/commands/README.md').split('## Docker')[1]?.split('\n## ')[0] ?? '';
    expect([...new Set(set)].filter((name) => !said.includes(`\`${name}\``))).toEqual([]);
  });

  it('our services may take as long to stop as DRAIN_SECONDS can be', () => {
    const longest = 300;
    expect(() => readConfig({ DRAIN_SECONDS: `${longest + 1}` })).toThrow();
    expect(readConfig({ DRAIN_SECONDS: `${longest}` }).drainSeconds).toBe(longest);
    const grace = ours.map(([, { stop_grace_period: period = '' }]) => Number.parseInt(period, 10));
    expect(Math.min(...grace)).toBeGreaterThan(longest + SHUTDOWN_TIMEOUT_MS / 1_000);
  });

  it.each(ours.filter(([, { command }]) => command !== undefined))(
    'service %s runs an existing command',
    (_, service) => {
      const [node, file, ...words] = service.command ?? [];
      expect([node, file]).toEqual(['node', 'dist/cli.js']);
      expect(chooseWords(words)).toMatchObject({ run: expect.any(Function) });
    },
  );

  it('the worker publishes its ingestion port, and listens there beyond its container', () => {
    const { worker } = compose.services;
    expect(worker?.ports).toEqual([`127.0.0.1:${defaults.ingestPort}:${defaults.ingestPort}`]);
    expect(worker?.environment?.INGEST_HOST).toBe('0.0.0.0');
  });
});

describe('the other services', () => {
  const { database, reader, grafana } = compose.services;

  it('the database is the newest TimescaleDB that was tried, with its data on the volume', () => {
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
      expect(reader?.entrypoint).toEqual(service?.entrypoint);
    },
  );

  it('Grafana gets exactly the variables that its provisioning uses', () => {
    const used = filesOf('grafana/provisioning').flatMap((path) =>
      [...textOf(path).matchAll(/\$([A-Z][A-Z_]+)\b/g)].map(([, name]) => name),
    );
    const given = Object.keys(grafana?.environment ?? {}).filter((name) => !name.startsWith('GF_'));
    expect([...new Set(used)].sort()).toEqual(given.sort());
    const zone = CONFIGURATION.find(({ name }) => name === 'TIME_ZONE')?.defaultsTo;
    // the network's
    expect(grafana?.environment?.GF_DATE_FORMATS_DEFAULT_TIMEZONE).toBe(`$\{TIME_ZONE:-${zone}}`);
  });
});

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(join(ROOT, path)).isFile());
}
