/** Plays steps against a database, and compares all buckets with the oracle after every refresh. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit } from '../../../src/aggregate/audit.ts';
import { maintain, refresh, refreshOn } from '../../../src/aggregate/refresh.ts';
import { deleteExpired, lowerCutoff, planRetention } from '../../../src/aggregate/retention.ts';
import { makeLog } from '../../../src/base/log.ts';
import type { Sql } from '../../../src/database/client.ts';
import { errorCode } from '../../../src/database/errors.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { deleteReadings } from '../../../src/ingest/store/deleteReadings.ts';
import { importNetwork } from '../../../src/network/importNetwork.ts';
import { screen } from '../../../src/network/screening.ts';
import { LEVELS } from '../../../src/schema/aggregates.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { DEFINITIONS } from '../../../src/schema/template.ts';
import { storageOf } from '../../aggregate/storage.ts';
import { changedDefinitions } from '../../support/definitions.ts';
import type { TestDatabase } from '../../support/makeDatabase.ts';
import { forgetFiles, type Imports, importFile, rowsOfFile, undoFile } from './files.ts';
import { expectedSuspects, storedSuspects, wrongBuckets, wrongOffsets } from './literally.ts';
import { FIRST, type Network, networkFile } from './network.ts';
import type { Reading, Step } from './steps.ts';
import {
  acceptedTimes,
  removeValues,
  type StoredValues,
  writeValues,
  wrongValues,
} from './values.ts';

const NOW = new Date('2026-11-20T00:00:00Z');
const log = makeLog('silent');

export type Failure = { step: number; what: string };

/** The first step after which a bucket differs from the readings, or undefined. */
export async function playSteps(
  database: TestDatabase,
  steps: readonly Step[],
  onStep?: (step: number) => void,
): Promise<Failure | undefined> {
  const of: Play = {
    database,
    owner: database.as('airseries_owner', 'UTC'),
    ingest: database.as('airseries_ingest', 'UTC'),
    superuser: database.superuser(),
    isOther: false,
    network: FIRST,
    isLiteralDue: true,
    stored: new Map(),
    imports: new Map(),
  };
  await importNetwork(of.owner, networkFile(FIRST, database.timeZone), { log });
  await planOnce(of);
  let expired: Expired | undefined;
  for (const [index, step] of steps.entries()) {
    onStep?.(index);
    const last = index === steps.length - 1;
    const what = await play(of, step, index, last).catch(
      (error: Error) => error.stack ?? String(error),
    );
    if (what !== undefined) return { step: index, what };
    if (step.then === 'nothing' && !last) continue;
    const wrong = await of.owner`
      select level, bucket, subject, columns from logic.differences('-infinity', 'infinity') limit 3`;
    if (wrong.length > 0)
      return { step: index, what: wrong.map((row) => JSON.stringify(row)).join('\n') };
    const values = await wrongValues(of.owner, of.stored);
    if (values.length > 0) return { step: index, what: values.join('\n') };
    if (of.isLiteralDue || last) {
      of.isLiteralDue = false;
      const { owner, network, isOther } = of;
      const literal = [
        ...(await wrongBuckets(owner, database.timeZone, network, isOther)),
        ...(await wrongOffsets(owner, database.timeZone, NOW.getTime())),
      ];
      if (literal.length > 0) return { step: index, what: literal.slice(0, 5).join('\n') };
    }
    const before = expired;
    expired = await expiredHours(of.owner);
    if (before?.until === expired.until && before.hours !== expired.hours) {
      return {
        step: index,
        what: `sensor hours before ${expired.until}, which nothing can recompute, have changed`,
      };
    }
  }
  return undefined;
}

type Play = {
  database: TestDatabase;
  owner: Sql;
  ingest: Sql;
  superuser: Sql;
  isOther: boolean;
  network: Network;
  /** True if the next refresh is followed by the literal rules, which cost as much as the step. */
  isLiteralDue: boolean;
  /** The values that raw.readings must hold (S3, A6). */
  stored: StoredValues;
  imports: Imports;
};

/**
 * The comparison is always the same query, and planning it each time would take four times as long
 * as running it. A refresh goes in pieces: of a month, or after every other upgrade as long as so
 * small a network allows.
 */
async function planOnce({ superuser, owner, isOther }: Play): Promise<void> {
  if (!isOther)
    await owner`create or replace function logic.rows_per_hour(before timestamptz) returns bigint language sql as 'select 2700'`;
  await superuser`alter function logic.differences_of_days set plan_cache_mode = force_generic_plan`;
}

/** Plays a step. Returns a fault that something else shows than a comparison of all buckets. */
async function play(
  of: Play,
  step: Step,
  index: number,
  last: boolean,
): Promise<string | undefined> {
  const { target } = of.database;
  const now = new Date(step.now ?? NOW);
  // an upgrade beside them would compute the numbers that they compare
  const isAlone = Boolean(step.retain ?? step.tamper ?? step.screen);
  if (isAlone && step.upgrade) await upgrade(of);
  if (isAlone) await refreshHere(of, now);
  const change = () => changeAll(of, step, now);
  const [what] = await Promise.all([
    step.then === 'race' ? sideBySide(of, now, change) : change(),
    ...(step.upgrade && !isAlone ? [upgrade(of)] : []),
  ]);
  if (what !== undefined) return what;
  if (step.now !== undefined) await refreshOn(of.owner, () => now, { lazily: true });
  if (step.then === 'kill') await killedRefresh(of, now, index);
  if (step.then !== 'nothing' || last) await refreshHere(of, now);
  if (step.compress) await maintain(target, now);
  return undefined;
}

/** On a connection that stays: making a new one takes most of the time of a small refresh. */
const refreshHere = ({ owner }: Play, now: Date) => refreshOn(owner, () => now);

/** Two workers refresh while something changes. */
async function sideBySide<T>(
  { database: { target } }: Play,
  now: Date,
  change: () => Promise<T>,
): Promise<T> {
  const [result] = await Promise.all([
    change(),
    refresh(target, () => now),
    refresh(target, () => now),
  ]);
  return result;
}

async function changeAll(of: Play, step: Step, now: Date): Promise<string | undefined> {
  if (step.network) {
    await importNetwork(of.owner, networkFile(step.network, of.database.timeZone), { log });
    of.network = step.network;
  }
  const bounds = await acceptedTimes(of.owner, now);
  for (const { sensor, from, to } of step.remove ?? []) {
    removeValues(of.stored, { sensor, from, to }, bounds.retained);
    await deleteReadings(of.owner, { sensor, from: new Date(from), to: new Date(to) });
  }
  if (step.write !== undefined) await writeRows(of, step.write, step.file, { now, bounds });
  const undone = step.undo === undefined ? undefined : of.imports.get(step.undo);
  if (undone !== undefined) {
    const wrong = await undoFile(of.ingest, of.stored, undone, now, bounds.since);
    if (wrong !== undefined) return wrong;
  }
  if (step.rules) await changeRules(of, step.rules);
  if (step.screen) return await screenParticles(of, step.screen, now);
  if (step.retain) return await retain(of, step.retain, now);
  if (step.tamper) return await tamper(of, step.tamper, now);
  return undefined;
}

/** Rows come as a push, or as a file. */
async function writeRows(
  { ingest, stored, imports }: Play,
  rows: readonly Reading[],
  file: Step['file'],
  { now, bounds }: { now: Date; bounds: { since: number; until: number } },
): Promise<void> {
  if (file === undefined) {
    const readings = rows.map(({ sensor, at, values }) => {
      return { sensorId: sensor, measuredAt: at, values, text: '' };
    });
    await acceptReadings(ingest, readings, { now, source: 'sim' });
    writeValues(stored, rows, bounds);
    return;
  }
  const given = rowsOfFile(rows, file.form);
  const id = await importFile(ingest, given, file, now);
  const changes = writeValues(stored, given, bounds);
  imports.set(file.number, { id, changes, isUndone: false, isForgotten: false });
}

/** Screening must find the same periods as the literal rule (C9). */
async function screenParticles(
  of: Play,
  { since, at }: NonNullable<Step['screen']>,
  now: Date,
): Promise<string | undefined> {
  of.isLiteralDue = true;
  await refreshHere(of, now);
  const { owner, network, database } = of;
  const instants = { since: Date.parse(since), at: Date.parse(at) };
  const expected = await expectedSuspects(owner, database.timeZone, network, instants);
  await screen(database.target, new Date(at), new Date(since));
  const found = await storedSuspects(owner);
  if (found.join() === expected.join()) return undefined;
  return `screening from ${since} to ${at} found\n${found.join('\n')}\nnot\n${expected.join('\n')}`;
}

/**
 * As if the days and months from an instant on had been computed by other rules of the zone, and
 * these recorded (Z5).
 */
async function changeRules(of: Play, { from, hours }: NonNullable<Step['rules']>): Promise<void> {
  of.isLiteralDue = true;
  const storage = new Map<string, string>();
  for (const { name, unit } of LEVELS)
    if (unit !== 'hour') storage.set(name, await storageOf(of.owner, name));
  await of.owner.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtext('airseries'), hashtext('rollup.refresh'))`;
    await sql`insert into raw.zone_offset
      select ${from}::text::timestamptz, until, utc_offset from raw.zone_offset
      where since < ${from}::text::timestamptz and until > ${from}::text::timestamptz`;
    await sql`update raw.zone_offset set until = ${from}::text::timestamptz
      where since < ${from}::text::timestamptz and until > ${from}::text::timestamptz`;
    await sql`update raw.zone_offset set utc_offset = utc_offset + ${`${hours} hours`}::text::interval
      where since >= ${from}::text::timestamptz`;
    for (const relation of storage.values()) {
      await sql.unsafe(`with old as (delete from ${relation} where bucket > '${from}' returning *)
        insert into ${relation}
        select moved.* from old cross join lateral jsonb_populate_record(null::${relation},
          to_jsonb(old) || jsonb_build_object('bucket', old.bucket - interval '${hours} hours')) moved`);
    }
  });
}

/** Sensor hours whose readings may have been deleted, in one word. */
type Expired = { until: string; hours: string | null };

async function expiredHours(sql: Sql, until?: string): Promise<Expired> {
  const [row] = await sql<[Expired]>`
    select i.until::text, (
      select md5(string_agg(h::text, ' ' order by h.bucket, h.sensor_id)) from rollup.sensor_hourly h where h.bucket < i.until) as hours
    from (select coalesce(${until ?? null}::text::timestamptz, retained_from) as until from raw.installation) i`;
  return row;
}

/** Deletes expired readings, which must leave their hours as they were; or accepts some again. */
async function retain(
  of: Play,
  what: NonNullable<Step['retain']>,
  now: Date,
): Promise<string | undefined> {
  if ('lower' in what) {
    await lowerCutoff(of.owner, new Date(what.lower)).catch((error) => {
      if (errorCode(error) !== 'AS409') throw error;
    });
    return undefined;
  }
  const { wanted } = await planRetention(of.owner, now, what.keep);
  const before = await expiredHours(of.owner, wanted);
  await deleteExpired(of.database.target, () => now, what.keep, { log, apply: true });
  await forgetFiles(of.database.target, of.owner, of.imports, now);
  const after = await expiredHours(of.owner, wanted);
  return after.hours === before.hours
    ? undefined
    : `retention of ${what.keep} has changed sensor hours before ${wanted}`;
}

/** Overwrites a stored number. The audit must find exactly that one, and mend it. */
async function tamper(
  { database, owner }: Play,
  { level: name, row: position, column, value }: NonNullable<Step['tamper']>,
  now: Date,
): Promise<string | undefined> {
  const id = LEVELS.find((level) => level.name === name)?.id ?? '';
  const [row] = await owner.unsafe<{ at: string; subject: string }[]>(
    `with kept as materialized ( -- what is older is all that is known of it, and the audit has nothing to compare it with
       select bucket, ${id}::text as subject from rollup.${name}, raw.installation i
       where '${name}' <> 'sensor_hourly' or bucket >= i.retained_from)
     select bucket::text as at, subject from kept
     order by bucket, subject offset ${position} % greatest((select count(*) from kept), 1) limit 1`,
  );
  if (row === undefined) return undefined;
  await owner.unsafe(
    `update ${await storageOf(owner, name)} set ${column} = '${value}' where bucket = '${row.at}' and ${id}::text = '${row.subject}'`,
  );
  const from = new Date(row.at);
  const to = new Date(from.getTime() + 1);
  const options = { clock: () => now, timeZone: 'UTC', from, to, repair: true };
  const { found, remaining } = await audit(database.target, options);
  const words = found.map(({ level, bucket, subject, columns }) =>
    [level, Date.parse(bucket), subject, columns].join(' '),
  );
  const expected = [name, from.getTime(), row.subject, column].join(' ');
  if (words.join() === expected && remaining.length === 0) return undefined;
  return `tampered with ${expected}: the audit found ${JSON.stringify(found)}, and after repair ${JSON.stringify(remaining)}`;
}

/**
 * Replaces all aggregates by others, in which rain counts twice, or back again. (Killed upgrades
 * are in test/whole/upgrade.)
 */
async function upgrade(of: Play): Promise<void> {
  of.isOther = !of.isOther;
  const folder = mkdtempSync(join(tmpdir(), 'airseries-sim-'));
  try {
    const other = changedDefinitions(folder, 'rollups/sensor_hourly.sql', (text) =>
      text.replace('sum(rain::float8)', '2 * sum(rain::float8)'),
    );
    await migrate(of.database.target, {
      now: NOW,
      log,
      definitions: of.isOther ? other : DEFINITIONS,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  await planOnce(of);
}

/**
 * A refresh whose connection is terminated while it works; the next one must complete it, wherever
 * it was.
 */
async function killedRefresh(
  { database, superuser }: Play,
  now: Date,
  index: number,
): Promise<void> {
  let finished = false;
  const killed = refresh(database.target, () => now)
    .catch(() => undefined)
    .finally(() => {
      finished = true;
    });
  const working = () => superuser`select pid from pg_stat_activity
    where datname = current_database() and application_name = 'airseries refresh'`;
  while (!finished && (await working()).length === 0);
  // not always at the start
  for (let further = index % 40; !finished && further > 0; further--) await superuser`select 1`;
  await superuser`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'airseries refresh'`;
  await killed;
}

/**
 * Every bucket of every level, to compare engines with each other. `sql` must be allowed to read
 * them.
 */
export async function allBuckets(sql: Sql): Promise<Map<string, Record<string, unknown>>> {
  const buckets = new Map<string, Record<string, unknown>>();
  for (const { name } of LEVELS) {
    for (const row of await sql`select * from ${sql(`rollup.${name}`)}`) {
      buckets.set(
        [name, row.bucket, row.sensor_id, row.station_id, row.region_slug].join(' '),
        row,
      );
    }
  }
  return buckets;
}
