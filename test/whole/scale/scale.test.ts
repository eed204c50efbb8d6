/**
 * The page src/database/cluster/README.md, with its files and its commands: two servers
 * under Patroni and etcd, and twice HAProxy, PgBouncer, an API and a worker. While each part fails,
 * no read fails or goes back in time, and no acknowledged reading is lost.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/database/client.ts';
import { freePort } from '../../support/freePort.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { patient, until } from '../../support/patience.ts';
import {
  type Finished,
  makeHome,
  type Running,
  ready,
  runAirseries,
  runProgram,
} from '../../support/program.ts';
import { findLocalTimescale } from '../../support/run/localServer.ts';
import { findPsql, needs, skipUnless } from '../../support/tools.ts';
import {
  DATABASES,
  type Machines,
  type Name,
  openMachines,
  PASSWORDS,
  TTL,
  VOTERS,
} from './machines.ts';
import { startTraffic, type Traffic } from './traffic.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const APPS = ['app1', 'app2'] as const;
const local = await findLocalTimescale();
const bin = local?.bin ?? findServer();
/** Seconds beyond ttl: the vote, the promotion, two checks of HAProxy, and a reconnection. */
const REACTION_S = 10;
/** Four ttl: the other is the primary for most of it. */
const PAUSE_S = 60;

/** The block of commands of src/database/cluster/README.md that begins like this. */
function words(beginning: string): string {
  const text = readFileSync(join(ROOT, 'src/database/cluster/README.md'), 'utf8');
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const found = blocks.find((block) => block.startsWith(beginning));
  if (found === undefined) throw new Error(`no commands begin with ${beginning}`);
  return found;
}

/** The programs of the newest server without TimescaleDB. */
function findServer(): string | undefined {
  const folder = join(findPsql() ?? '', '..');
  return existsSync(join(folder, 'initdb')) ? folder : undefined;
}

const tools = needs('haproxy', 'patroni', 'etcd', 'pgbouncer', 'psql');
const isPossible = tools.skip ? tools : skipUnless(bin !== undefined, 'no PostgreSQL is installed');

describe('on several machines', isPossible, () => {
  let home: ReturnType<typeof makeHome>;
  let machines: Machines;
  let traffic: Traffic;
  let token: string;
  const services: Running[] = [];
  const adminPorts: string[] = []; // the APIs' ports
  const said: string[] = [];
  const urlOfPrimary = () =>
    `postgres://airseries_service:${PASSWORDS.service}@${machines.addressOf('app1')}:5000/airseries`;

  /** Patroni, etcd and HAProxy; then the commands of the page, and PgBouncer. */
  async function setUp(): Promise<void> {
    for (const name of VOTERS) machines.startEtcd(name);
    const isSafe = async () => (await checkOfVote()).stdout === 'the vote is safe\n';
    await until(isSafe, 'the check of the page is content');
    for (const name of DATABASES) machines.startPatroni(name);
    for (const name of APPS) machines.startHaproxy(name);
    await machines.primaryWithReplica();
    const environment = {
      PATH: `${bin}:${process.env.PATH}`,
      PATRONI_SUPERUSER_PASSWORD: PASSWORDS.superuser,
      SERVICE_PASSWORD: PASSWORDS.service,
      API_PASSWORD: PASSWORDS.api,
      READER_PASSWORD: PASSWORDS.reader,
      NETWORK_FILE: join(home.folder, 'network.json'),
    };
    const network = { ...citiesOfOneStation(['town']), time_zone: 'Europe/Paris' };
    writeFileSync(environment.NETWORK_FILE, JSON.stringify(network));
    const commands = words('export PGHOST=').replaceAll('127.0.0.1', machines.addressOf('app1'));
    const { code, stderr } = await runProgram(['sh', '-ec', commands], {
      environment,
      folder: ROOT,
    }).finished;
    if (code !== 0) throw new Error(stderr);
    for (const name of APPS) machines.startPgbouncer(name);
  }

  /** The commands by which the page finds out if Patroni and etcd vote safely. */
  function checkOfVote(version = '3.0.2', change = (config: string) => config): Promise<Finished> {
    const config = join(home.folder, 'config.yml');
    writeFileSync(config, change(readFileSync(machines.place('patroni.yml', 'db1'), 'utf8')));
    const commands = words('if grep -q ')
      .replaceAll('/etc/patroni/config.yml', config)
      .replaceAll(/\b(db1|db2|app1)(?=:)/g, (name) => machines.addressOf(name as Name))
      .replaceAll('patroni --version', `echo patroni ${version}`);
    return runProgram(['sh', '-c', commands], { environment: {} }).finished;
  }

  /** An API and a worker, as on each of app1 and app2. */
  async function serve(name: (typeof APPS)[number]): Promise<{ api: number; ingest: number }> {
    const address = machines.addressOf(name);
    const ofWorker = { ADMIN_PORT: await freePort(), INGEST_PORT: await freePort() };
    const ofApi = { ADMIN_PORT: await freePort(), PORT: await freePort() };
    const worker = runAirseries(['start'], {
      ...ofWorker,
      ROLE: 'worker',
      INGEST_RATE: '1000000',
      DATABASE_URL: urlOfPrimary().replace(machines.addressOf('app1'), address),
    });
    const api = runAirseries(['start'], {
      ...ofApi,
      ROLE: 'api',
      READER_DATABASE_URL: urlForReaders(name),
    });
    services.push(worker, api);
    adminPorts.push(ofApi.ADMIN_PORT);
    await Promise.all([ready(ofWorker.ADMIN_PORT, worker), ready(ofApi.ADMIN_PORT, api)]);
    return { api: Number(ofApi.PORT), ingest: Number(ofWorker.INGEST_PORT) };
  }

  const urlForReaders = (name: (typeof APPS)[number]) =>
    `postgres://airseries_api:${PASSWORDS.api}@${machines.addressOf(name)}:6432/airseries?pooler=transaction`;

  /** True if readers reach a replica, undefined while they reach no server. */
  async function readersReachReplica(): Promise<boolean | undefined> {
    const sql = connect(urlForReaders('app1'), { max: 1 });
    try {
      const [row] = await sql<[{ is: boolean }]>`select pg_is_in_recovery() as is`;
      return row.is;
    } catch {
      return undefined;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** The times of acknowledged readings that are not stored. */
  async function lostReadings(): Promise<number[]> {
    const acknowledged = [...traffic.acknowledged];
    const sql = connect(urlOfPrimary(), {});
    const rows = await sql<{ time: number }[]>`
      select (extract(epoch from measured_at) * 1000)::float8 as time from raw.readings`.finally(
      () => sql.end(),
    );
    const stored = new Set(rows.map(({ time }) => Math.round(time)));
    return acknowledged.filter((time) => !stored.has(time));
  }

  const command = async (...command: string[]) => {
    const { code, stdout, stderr } = await runAirseries(command, { DATABASE_URL: urlOfPrimary() })
      .finished;
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  };

  beforeAll(async () => {
    home = makeHome();
    machines = openMachines(home.folder, bin ?? '', local !== undefined);
    try {
      await setUp();
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${machines.logs()}`);
    }
    expect(JSON.parse(await command('status', '--json')).time_zone).toBe('Europe/Paris');
    token = JSON.parse(await command('token', 'add', 'roof', '--provider', 'us')).token;
    const ports = [await serve('app1'), await serve('app2')];
    traffic = startTraffic(
      ports.map(({ api }) => api),
      ports.map(({ ingest }) => ({ port: { ingest }, token })),
    );
    await traffic.accepted();
  });
  afterAll(async () => {
    await traffic?.end();
    for (const service of services) service.kill('SIGKILL');
    await Promise.all(services.map(({ finished }) => finished));
    await machines?.close();
    home?.remove();
    process.stderr.write(`\nseveral machines, ttl ${TTL} s:\n${said.join('\n')}\n`);
  });

  /** Records how an event affects clients; resolves to how long writes were refused, in seconds. */
  async function during(event: string, happens: () => Promise<void>): Promise<number> {
    traffic.longestSilence();
    traffic.largestAge();
    const before = { reads: traffic.reads(), failures: traffic.failures.length };
    await happens();
    await traffic.accepted();
    const silence = traffic.longestSilence();
    const failed = traffic.failures.slice(before.failures);
    said.push(
      `${event}: ${traffic.reads() - before.reads} reads, ${failed.length} failed, Age at most ${traffic.largestAge()} s; writes refused for ${silence.toFixed(1)} s`,
    );
    expect(failed).toEqual([]);
    return silence;
  }
  const limit = { timeout: patient(180_000) };

  it('the check of the page refuses a vote that loses readings, and says what to write', async () => {
    const written = (line: string) => (config: string) => config.replace('\netcd:', `\n${line}`);
    const saysOf = async (version: string, line: string) =>
      (await checkOfVote(version, written(line))).stdout;
    const safe = 'the vote is safe\n';
    expect(await saysOf('3.0.2', 'etcd:')).toBe(safe);
    expect(await saysOf('3.0.3', 'etcd3:')).toBe(safe);
    expect(await saysOf('3.0.10', 'etcd3:')).toBe(safe);
    for (const line of ['etcd3:', '# etcd:'])
      expect(await saysOf('3.0.2', line)).toMatch(
        /^STOP, .* must say etcd:.* this is patroni 3.0.2\n$/,
      );
    expect((await checkOfVote('3.0.2', written('etcd3:'))).code).toBe(1);
    await machines.kill('etcd', 'app1'); // as where one of the three doesn't speak version 2
    expect(await saysOf('3.0.2', 'etcd:')).toMatch(/^STOP/);
    machines.startEtcd('app1');
    await until(async () => (await saysOf('3.0.2', 'etcd:')) === safe, 'etcd answers again');
  });

  it('a killed primary is replaced within ttl, and comes back as the replica', limit, async () => {
    const primary = await machines.primaryWithReplica();
    const silence = await during('kill -9 of the primary', async () => {
      expect(await readersReachReplica()).toBe(true);
      await machines.killDatabase(primary);
      // documents that an API has kept hide from its clients that there is no replica
      const isPrimary = async () => (await readersReachReplica()) === false;
      await until(isPrimary, 'readers reach the new primary');
      // until its checks have failed twice, HAProxy takes it for the replica that it was
      const began = performance.now();
      await until(() => performance.now() - began > 5_000, 'HAProxy has checked again');
      expect(await readersReachReplica()).toBe(false);
    });
    expect(silence).toBeLessThan(patient(TTL + REACTION_S));
    await during('it comes back', async () => {
      machines.startPatroni(primary);
      expect(await machines.primaryWithReplica()).not.toBe(primary);
    });
  });

  it(
    'a switchover with two of three votes succeeds, and refuses writes for less than ttl',
    limit,
    async () => {
      const primary = await machines.primaryWithReplica();
      await machines.kill('etcd', 'app1');
      const silence = await during('switchover', async () => {
        // three of six were refused on one machine: perhaps where etcd was about to elect a leader
        const isAccepted = () =>
          machines.patronictl('switchover', '--force').then(
            () => true,
            (error: Error) => {
              console.log(error.message);
              return false;
            },
          );
        await until(isAccepted, 'Patroni accepts the switchover');
        const isOther = async () => (await machines.primaryWithReplica()) !== primary;
        await until(isOther, 'the other is the primary');
      });
      machines.startEtcd('app1');
      expect(silence).toBeLessThan(patient(TTL));
    },
  );

  it('an API without PgBouncer serves its kept documents with their Age', limit, async () => {
    await during('kill -9 of a PgBouncer', async () => {
      await machines.kill('pgbouncer', 'app1');
      await until(() => Math.max(...traffic.ages()) > 1, 'answers are more than a second old');
      machines.startPgbouncer('app1');
      await until(() => Math.max(...traffic.ages()) === 0, 'answers are new again');
    });
  });

  it('a primary goes on without any vote, since it reaches its replica', limit, async () => {
    const primary = await machines.primaryWithReplica();
    const silence = await during('without etcd', async () => {
      await Promise.all(VOTERS.map((name) => machines.kill('etcd', name)));
      const began = performance.now();
      await until(() => performance.now() - began > 2 * TTL * 1_000, 'two ttl have passed');
      for (const name of VOTERS) machines.startEtcd(name);
      expect(await machines.primaryWithReplica()).toBe(primary);
    });
    expect(silence).toBeLessThan(TTL); // the outage is twice as long, on any machine
  });

  it(
    'a primary whose machine was paused takes nothing back from the one that replaced it',
    limit,
    async () => {
      const paused = await machines.primaryWithReplica();
      const silence = await during(`pause of ${PAUSE_S} s`, async () => {
        machines.pause(paused);
        await sleep(PAUSE_S * 1_000);
        machines.resume(paused);
        // its etcd may at first answer with its old knowledge
        const isReplica = async () => (await machines.primaryWithReplica()) !== paused;
        await until(isReplica, 'the paused one is the replica');
      });
      expect(silence).toBeLessThan(patient(TTL + REACTION_S));
      expect((await lostReadings()).length).toBe(0);
    },
  );

  it(
    'every acknowledged reading is stored, and every aggregate equals its readings',
    limit,
    async () => {
      await traffic.end();
      const lost = await lostReadings();
      said.push(`${traffic.acknowledged.size} acknowledged readings, ${lost.length} lost`);
      expect(lost.length).toBe(0);
      expect(traffic.acknowledged.size).toBeGreaterThan(100);
      await command('refresh');
      expect(await command('audit', '--from', '2020-01-01')).toBe('[]');
      expect(services.map((service) => service.log()).join('')).not.toContain('"level":60');
      for (const port of adminPorts) {
        const text = await (await fetch(`http://localhost:${port}/metrics`)).text();
        // after the kill, the switchover and the pause
        expect(text).toMatch(/^airseries_database_history_changes_total\{change="promoted"\} 3$/m);
        expect(text).toMatch(/^airseries_database_history_changes_total\{change="set_back"\} 0$/m);
      }
    },
  );
});
