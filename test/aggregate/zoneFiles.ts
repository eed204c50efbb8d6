/**
 * Time zone files (RFC 9636) for a server whose rules a test changes, and the servers that read
 * them: a private one of the packaged PostgreSQL, with a folder of zones of its own, and the local
 * one with TimescaleDB, in whose folder a zone is added.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { connect } from '../../src/database/client.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { emptyDatabase } from '../support/database.ts';
import type { Zone } from '../support/localTime.ts';
import type { Server } from '../support/makeDatabase.ts';
import { findLocalTimescale } from '../support/run/localServer.ts';
import { packagedProgram, startPostgres } from '../support/run/postgres.ts';
import { type Skippable, skipUnless } from '../support/tools.ts';

/**
 * Offsets in hours, each from an instant on; the first holds before it, too. `rule` is POSIX's, for
 * the time after the last.
 */
export type Rules = { offsets: readonly (readonly [from: string, hours: number])[]; rule: string };

/** The offset of an instant by these rules, as far as `offsets` goes, to check the server by. */
export const zoneOf =
  ({ offsets }: Rules): Zone =>
  (instant) => {
    const last = offsets.findLast(([from]) => Date.parse(from) <= instant) ?? offsets[0];
    return (last?.[1] ?? 0) * 3_600_000;
  };

const NAME = 'LCL\0';

/** The bytes of a zone file. */
export function zoneFile({ offsets, rule }: Rules): Buffer {
  const header = (times: number, types: number) => {
    const counts = Buffer.alloc(24);
    for (const [index, count] of [0, 0, 0, times, types, NAME.length].entries())
      counts.writeUInt32BE(count, index * 4);
    return Buffer.concat([Buffer.from('TZif2'), Buffer.alloc(15), counts]);
  };
  const type = (hours: number) => {
    const bytes = Buffer.alloc(6);
    bytes.writeInt32BE(Math.round(hours * 3_600));
    return bytes;
  };
  const times = Buffer.alloc(offsets.length * 8);
  for (const [index, [from]] of offsets.entries())
    times.writeBigInt64BE(BigInt(Date.parse(from) / 1_000), index * 8);
  const [[, before] = ['', 0]] = offsets;
  return Buffer.concat([
    // the block of the first version, which nobody reads
    header(0, 1),
    type(0),
    Buffer.from(NAME),
    header(offsets.length, offsets.length + 1),
    times,
    Buffer.from(offsets.map((_, index) => index + 1)),
    type(before),
    ...offsets.map(([, hours]) => type(hours)),
    Buffer.from(`${NAME}\n${rule}\n`),
  ]);
}

export type ZoneServer = {
  zone: string;
  /** An empty database; dropped with the server. */
  database(): Promise<Server>;
  /** Sessions that begin later have these rules of the zone. */
  setRules(rules: Rules): void;
  close(): Promise<void>;
};

/** The reason why a test of changed rules cannot run on an engine. */
export async function needsZoneFiles(engine: Engine): Promise<Skippable> {
  if (engine === 'plain') return {};
  const folder = await localZoneFolder();
  return skipUnless(
    folder !== undefined,
    'the folder of time zones of the server with TimescaleDB cannot be written to',
  );
}

/** `name` is the zone's on a private server; on the local one the zone gets a new name. */
export const openZoneServer = (engine: Engine, name: string): Promise<ZoneServer> =>
  engine === 'plain' ? openPrivateServer(name) : openLocalServer();

async function openPrivateServer(zone: string): Promise<ZoneServer> {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-zones-'));
  chmodSync(folder, 0o755); // as root, the server runs as another user and must get in
  const packaged = packagedProgram();
  const server = await startPostgres(join(folder, 'data'), {
    ...packaged,
    bin: async (...where) =>
      withOwnZones(dirname(await packaged.bin(...where)), join(folder, 'server')),
  });
  const file = join(folder, 'server/share/postgresql/timezone', zone);
  return {
    zone,
    setRules: (rules) => write(file, rules),
    async database() {
      const name = `zone_${randomBytes(6).toString('hex')}`;
      const sql = connect({ ...server.target, database: 'postgres' }, {});
      await sql.unsafe(`create database ${name}`);
      await sql.end();
      return { ...server.target, database: name };
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/**
 * The server finds its files from where its program lies, so the programs and the zones are copies,
 * and everything else is linked. Returns the folder of programs.
 */
function withOwnZones(from: string, to: string): string {
  const share = 'share/postgresql';
  mkdirSync(join(to, share), { recursive: true });
  cpSync(join(from, 'bin'), join(to, 'bin'), { recursive: true, dereference: true });
  symlinkSync(join(from, 'lib'), join(to, 'lib'));
  for (const name of readdirSync(join(from, share))) {
    if (name === 'timezone')
      cpSync(join(from, share, name), join(to, share, name), { recursive: true });
    else symlinkSync(join(from, share, name), join(to, share, name));
  }
  return join(to, 'bin');
}

async function openLocalServer(): Promise<ZoneServer> {
  const folder = (await localZoneFolder()) as string;
  const area = `Test_${randomBytes(6).toString('hex')}`;
  const dropped: (() => Promise<unknown>)[] = [];
  return {
    zone: `${area}/Town`,
    setRules: (rules) => write(join(folder, area, 'Town'), rules),
    async database() {
      const { target, drop } = await emptyDatabase('timescale');
      dropped.push(drop);
      return target;
    },
    async close() {
      for (const drop of dropped) await drop();
      rmSync(join(folder, area), { recursive: true, force: true });
    },
  };
}

/** The zones of the installed server that this run has started; undefined: they are read-only. */
async function localZoneFolder(): Promise<string | undefined> {
  const local = await findLocalTimescale();
  const isNamed = (process.env.TEST_TIMESCALE_URL ?? '') !== '';
  if (local === undefined || isNamed || inject('targets').timescale === undefined) return undefined;
  const config = (option: string) =>
    execFileSync(join(local.bin, 'pg_config'), [option], { encoding: 'utf8' });
  const [, system] = /--with-system-tzdata=([^' ]+)/.exec(config('--configure')) ?? [];
  const folder = system ?? join(config('--sharedir').trim(), 'timezone');
  try {
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return undefined;
  }
}

function write(file: string, rules: Rules): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, zoneFile(rules));
}
