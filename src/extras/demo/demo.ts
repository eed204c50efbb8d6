/**
 * The demo in a database: its network is imported once, and whatever is missing of its readings is
 * copied, the newest first.
 */
import type { Job } from '../../aggregate/jobs.ts';
import { refresh } from '../../aggregate/refresh.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { makeProgress, type Progress } from '../../base/progress.ts';
import { AIRSERIES } from '../../base/shell.ts';
import type { DatabaseAddress } from '../../database/address.ts';
import { asOwner, type Sql } from '../../database/client.ts';
import { copyRows, inTransaction } from '../../database/copyIn.ts';
import { remedyFor } from '../../database/remedies.ts';
import { importNetwork } from '../../network/importNetwork.ts';
import { demoGround } from './ground.ts';
import { DEMO_PROVIDER, demoNetwork } from './network.ts';
import { COPY_COLUMNS, copyLines, demoInstants, demoReadings } from './readings.ts';

const SESSION = { name: 'airseries demo' };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A new installation waits for these; the rest of two years follows while it serves requests. */
const FIRST_PIECE = 31 * DAY;
/** Each piece is a transaction, so that an interrupted load leaves no gap. */
const HISTORY_PIECE = 60 * DAY;
/**
 * The event loop gets a turn after each of these, which take 5 ms at most (67 ms at 256 KB): on a
 * machine with a load of 25 a probe was otherwise answered unread for its three seconds.
 */
const CHUNK_CHARACTERS = 32 * 1024;

/** The variable DEMO: `on` loads the demo into an empty database, `off` feeds no demo. */
export type DemoSetting = 'on' | 'off' | undefined;

type DemoOptions = { timeZone: string; clock: Clock; log: Log; terminal: boolean };

export type Demo = {
  /** Feeds the demo every minute; none where there is no demo. */
  jobs: Job[];
  /** Begins to load what is missing. A failure is logged, and the job tries again. */
  begin(): void;
  /** Resolves when the piece at hand is loaded. */
  stop(): Promise<void>;
  /** The country on maps, as GeoJSON; undefined where there is no demo. */
  ground: object | undefined;
};

/** Loads the demo if it is due, or brings it up to date, as far as a start waits for. */
export async function openDemo(
  target: DatabaseAddress,
  setting: DemoSetting,
  options: DemoOptions,
): Promise<Demo> {
  const { log } = options;
  const none = {
    jobs: [],
    begin: () => undefined,
    stop: async () => undefined,
    ground: undefined,
  };
  const isThere = await hasDemo(target);
  if (isThere && setting === 'off') {
    log.warn(
      'DEMO=off, but the database has the demo network, which is fed no more; this replaces it by yours: ' +
        `${AIRSERIES} import network FILE --replace-demo`,
    );
    return none;
  }
  if (!isThere && setting !== 'on') return none;
  if (!isThere && !(await asOwner(target, SESSION, isEmpty))) return none;
  if (!isThere) await installDemo(target, options);
  const readings = await asOwner(target, SESSION, (sql) =>
    copyMissing(sql, options.clock(), { history: false }),
  );
  if (readings > 0) log.info({ readings }, 'the newest readings of the demo are loaded');
  return keepFed(target, options);
}

/**
 * Loads whatever is missing, once at a time: a run of the job has nothing to do while an earlier
 * one is loading.
 */
function keepFed(target: DatabaseAddress, options: DemoOptions): Demo {
  const { log } = options;
  const stopping = new AbortController();
  let filling: Promise<unknown> | undefined;
  const fill = async () => {
    if (filling !== undefined) return;
    filling = fillDemo(target, options, stopping.signal);
    await filling.finally(() => {
      filling = undefined;
    });
  };
  return {
    jobs: [{ name: 'demo_feed', schedule: '* * * * *', run: fill }],
    begin() {
      fill().catch((error: Error) => {
        const known = remedyFor(error);
        const why =
          known.remedy === undefined ? { err: error } : { reason: error.message, ...known };
        log.error(why, 'the readings of the demo could not be loaded; trying again every minute');
      });
    },
    async stop() {
      stopping.abort();
      await filling?.catch(() => undefined); // it has been logged
    },
    ground: demoGround(),
  };
}

/** Imports the demo network. Rejects if the database holds another network, or readings. */
export async function installDemo(
  target: DatabaseAddress,
  { timeZone, log }: DemoOptions,
): Promise<void> {
  await asOwner(target, SESSION, async (sql) => {
    // until the connection ends: one process at a time
    await sql`call raw.acquire_lock('airseries.demo')`;
    if (await isDemo(sql)) return;
    if (!(await isEmpty(sql)))
      throw new Error(
        'The demo network needs an empty database, and this one contains a network or readings.',
      );
    log.info(
      'loading the demo network: an invented country and two years of invented readings (DEMO=off skips this)',
    );
    await importNetwork(sql, JSON.stringify(demoNetwork(timeZone)), { log });
  });
}

/**
 * Loads everything that is missing, piece by piece, and refreshes the aggregates of a piece while
 * the next is copied. Returns the number of readings. An aborted load ends with the piece it is at,
 * and the next one continues.
 */
export async function fillDemo(
  target: DatabaseAddress,
  { clock, log, terminal }: DemoOptions,
  signal?: AbortSignal,
): Promise<number> {
  const progress = makeProgress('loading the demo readings', log, terminal);
  let rows = 0;
  await asOwner(target, SESSION, async (sql) => {
    for (;;) {
      const [added] = await Promise.all([
        copyMissing(sql, clock(), { show: (n, part) => progress.show(rows + n, part) }),
        rows > 0 ? refresh(target, clock) : undefined,
      ]);
      rows += added;
      if (added === 0 || signal?.aborted) break;
    }
  });
  progress.hide();
  if (rows >= MANY_READINGS && !signal?.aborted)
    log.info({ readings: rows }, 'the readings of the demo are complete');
  return rows;
}

/** More than a minute brings: a history was loaded, or days were made up for. */
const MANY_READINGS = 1_000;

/**
 * Copies the newest piece that is missing, up to `now`, and returns the number of readings: 0 if
 * nothing is missing, or the database has no demo. `history`: also a piece from before the oldest
 * reading. Can be called at any time, also concurrently.
 */
export async function copyMissing(
  sql: Sql,
  now: Date,
  { history = true, show = () => undefined }: { history?: boolean; show?: Progress['show'] } = {},
): Promise<number> {
  return await inTransaction(sql, async (connection) => {
    // the lock: one piece at a time
    const [provider] =
      await connection`select from raw.provider where id = ${DEMO_PROVIDER} for no key update`;
    if (provider === undefined) return 0;
    const [row] = await connection<
      { zone: string; start: string; oldest: string | null; newest: string | null }[]
    >`
      select time_zone as zone,
        greatest(ingest_cutoff, epoch::timestamp at time zone time_zone, ${now}::timestamptz - interval '2 years') as start,
        (select min(measured_at) from raw.readings) as oldest,
        (select max(measured_at) from raw.readings) as newest
      from raw.installation`;
    // a provider has a network, and a network an installation
    const { zone, start, oldest, newest } = row as NonNullable<typeof row>;
    const begin = new Date(start);
    const stored =
      oldest === null || newest === null
        ? undefined
        : { oldest: new Date(oldest), newest: new Date(newest) };
    const span = missingSpan(begin, stored, now);
    if (span === undefined || (span.isHistory && !history)) return 0;
    const { from, to } = span;
    const whole = now.getTime() - begin.getTime();
    let rows = 0;
    function* chunks(): Generator<string> {
      let text = '';
      for (const readings of demoReadings({ network: demoNetwork(zone), from, to, now })) {
        text += copyLines(readings);
        rows += readings.length;
        if (text.length < CHUNK_CHARACTERS) continue;
        yield text;
        text = '';
        const done = (readings[0]?.at ?? 0) - from.getTime();
        show(rows, (now.getTime() - to.getTime() + done) / whole);
      }
      if (text !== '') yield text;
    }
    await copyRows(connection, `copy raw.readings (${COPY_COLUMNS}) from stdin`, chunks());
    return rows;
  });
}

/** The newest span since `begin` in which readings are missing; undefined if there is none. */
function missingSpan(
  begin: Date,
  stored: { oldest: Date; newest: Date } | undefined,
  now: Date,
): { from: Date; to: Date; isHistory: boolean } | undefined {
  const notBefore = (time: number) => new Date(Math.max(begin.getTime(), time));
  if (stored === undefined)
    return { from: notBefore(now.getTime() - FIRST_PIECE), to: now, isHistory: false };
  const { oldest, newest } = stored;
  const hasInstant = (from: Date, to: Date) => !demoInstants({ from, to, now }).next().done;
  if (hasInstant(newest, now)) return { from: newest, to: now, isHistory: false };
  const to = new Date(oldest.getTime() - 1);
  const from = notBefore(to.getTime() - HISTORY_PIECE);
  return hasInstant(from, to) ? { from, to, isHistory: true } : undefined;
}

/** True if the database contains the demo network. */
export const hasDemo = (target: DatabaseAddress): Promise<boolean> =>
  asOwner(target, SESSION, isDemo);

/** True if the demo's provider is there; `sql` may be of a database without migrations. */
export async function isDemo(sql: Sql): Promise<boolean> {
  const [table] = await sql`select to_regclass('raw.provider') is not null as there`;
  if (table?.there !== true) return false;
  const [row] =
    await sql`select exists (select from raw.provider where id = ${DEMO_PROVIDER}) as demo`;
  return row?.demo === true;
}

/** True if there is neither a network nor a reading, nor an hour that is left of one. */
export async function isEmpty(sql: Sql): Promise<boolean> {
  const [row] = await sql`
    select not exists (select from raw.provider) and not exists (select from raw.region) and not exists (select from raw.station)
      and not exists (select from raw.sensor) and not exists (select from raw.readings) and not exists (select from rollup.sensor_hourly) as empty`;
  return row?.empty === true;
}
