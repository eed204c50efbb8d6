/**
 * The version of the published data: a number that the database raises whenever they have changed (logic.raise_data_version). A process asks
 * for it every second, and at once after a notification: that is only a hint, as any login may send one, a connection that was cut silently
 * delivers none, a standby sends none and a pooler keeps none. Each answer confirms that the database is in contact. Numbers are compared
 * within one history: a database that was restored, or a replica that was promoted, may count the same numbers for other data. Of several
 * hosts each is asked, and what they answer decides which of them is read from.
 */
import type { Clock } from '../clock.ts';
import { connect, type DatabaseAddress, hasPooler } from '../database/client.ts';
import {
  asHosts,
  type Counted,
  chooseHost,
  type Host,
  type Hosts,
  MAX_LAG_MS,
  newestTimeline,
  noteAnswer,
  partsOf,
  queryServer,
  whyNot,
} from '../database/hosts.ts';
import { type Api, type ApiDb, openReaderPool } from '../database/pools.ts';
import type { Log } from '../log.ts';

const POLL_MS = 1_000;
/** However many notifications come. */
const POLL_AT_MOST_EVERY_MS = 50;
/** Longer than a query may take to fail. */
const CONTACT_MS = 4_000;
const CHANNEL = 'airseries_data';
/** How soon a host that was found to be of another version is asked again: the check costs more than the question. */
const CHECK_AGAIN_MS = 10_000;

/** A version, and which history counted it. */
type KnownVersion = {
  history: string;
  version: number;
  /** When it was last confirmed to be the newest. */
  at: Date;
  /** How far the database was behind then, where that is too much to say nothing of it. */
  lagSeconds?: number | undefined;
};

export type DataVersionWatch = {
  /** The newest version; undefined while the database is not in contact. */
  current(): number | undefined;
  /** The newest version; undefined before the first contact. */
  lastKnown(): KnownVersion | undefined;
  /** Tells of a version that was read: nothing older is current from now on. */
  sawVersion(version: number, history: string): void;
  /** Calls back after each new version. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
};

type Options = {
  db: ApiDb;
  /** What `db` reads from. */
  target: DatabaseAddress | Hosts;
  clock: Clock;
  log: Log;
  /** Rejects if a host is of another version of the program; called before it is first read from. */
  check?: ((host: Host) => Promise<unknown>) | undefined;
  pollMs?: number | undefined;
};

/** Never rejects: without contact there is no current version. */
export function watchDataVersion({ db, target, clock, log, check, pollMs = POLL_MS }: Options): DataVersionWatch {
  const hosts = asHosts(target);
  const isAlone = hosts.all.length === 1;
  const listeners: (() => void)[] = [];
  let known: KnownVersion | undefined;
  let served: Counted | undefined;
  let timesSetBack = 0;
  let contactAt = Number.NEGATIVE_INFINITY; // of performance.now()
  let isLost = false;
  let isBehind = false;
  let closed = false;

  function know(next: KnownVersion): void {
    const before = known;
    known = next;
    if (before?.history === next.history && before.version === next.version) return;
    for (const listener of listeners) listener();
  }

  /** Of the chosen host. */
  function learn(host: Host, state: NonNullable<Host['state']>): void {
    const isSetBack = served?.identity === state.identity && state.version < served.version;
    if (isSetBack || host.wentBack) timesSetBack += 1;
    host.wentBack = false;
    const [history, { version }] = [`${state.identity} ${timesSetBack}`, state];
    if (known !== undefined && known.history !== history) {
      log.warn(
        { version, version_before: known.version },
        'the database has another history; nothing kept from before is served',
      );
    }
    const isFar = state.lagMs > MAX_LAG_MS;
    const lagSeconds = isFar ? Math.floor(state.lagMs / 1_000) : undefined;
    if (isFar !== isBehind) {
      const about = { host: host.name, lag_seconds: Math.floor(state.lagMs / 1_000) };
      if (isFar) log.warn(about, 'the replica is behind its primary, and no other is better; sending Age');
      else log.info(about, 'the replica is no longer behind its primary');
    }
    isBehind = isFar;
    served = state;
    know({ history, version, at: new Date(host.completeAt ?? clock()), lagSeconds });
  }

  function lose(reason: string | undefined): void {
    if (!isLost && !closed) log.warn({ reason }, 'lost contact with the database; serving kept responses');
    isLost = true;
    contactAt = Number.NEGATIVE_INFINITY;
  }

  /** Chooses by what the hosts have answered so far. */
  function decide(): void {
    const states = hosts.all.map(({ state }) => state);
    const isComplete = hosts.all.every(({ state, reason }) => state !== undefined || reason !== undefined);
    const left = hosts.chosen;
    const index = chooseHost(states, hosts.all.indexOf(left), served);
    const host = index === undefined ? undefined : hosts.all[index];
    const why = left.state && whyNot(left.state, newestTimeline(states, served), served);
    if (host !== left && !isComplete) return; // the others answer any moment
    if (host?.state === undefined) {
      lose(why ?? left.reason);
      return;
    }
    if (host !== left) {
      const behind = `it is ${Math.floor((left.state?.lagMs ?? 0) / 1_000)} s behind its primary`;
      const reason = left.state === undefined ? (left.reason ?? 'it has not answered yet') : (why ?? behind);
      log.warn({ host: host.name, left: left.name, reason }, 'reading from another database host');
      hosts.chosen = host;
    }
    if (isLost) log.info('in contact with the database again');
    isLost = false;
    contactAt = host.askedAt ?? contactAt;
    learn(host, host.state);
  }

  /** Resolves to the time until the next question. */
  async function ask(host: Host, asked: ApiDb): Promise<number> {
    const [askedAt, at, before] = [performance.now(), clock().getTime(), host.newest];
    let isOfAnotherVersion = false;
    try {
      const row = await queryServer(asked);
      const { system } = partsOf(String(row.history));
      hosts.system ??= system;
      if (!isAlone && system !== hosts.system) throw new Error('it is another database, no replica of this one');
      if (!isAlone && !host.isChecked) {
        isOfAnotherVersion = true;
        await check?.(host);
        isOfAnotherVersion = false;
        host.isChecked = true;
      }
      noteAnswer(host, row, at, before);
      if (host.reason !== undefined && !isAlone)
        log.info({ host: host.name }, 'the database host can be read from again');
      host.reason = undefined;
      host.askedAt = askedAt;
    } catch (error) {
      fail(host, (error as Error).message);
    }
    if (!closed) decide();
    return isOfAnotherVersion ? CHECK_AGAIN_MS : pollMs;
  }

  function fail(host: Host, reason: string): void {
    const answered = host.state !== undefined;
    host.state = undefined;
    if (host.reason !== reason && !isAlone && !closed)
      log.warn({ host: host.name, reason }, 'a database host cannot be read from');
    host.reason = reason;
    if (host !== hosts.chosen || !answered) return;
    // what the others said before may be older than what was served since
    for (const other of hosts.all) other.state = undefined;
    hint();
  }

  const watched = hosts.all.map((host) => {
    const own = isAlone ? undefined : openReaderPool<Api>(host.target, { timeZone: 'UTC', max: 1 });
    return { own, repeated: repeat(() => ask(host, own ?? db)) };
  });
  function hint(): void {
    for (const { repeated } of watched) repeated.hint();
  }
  if (!isAlone) {
    hosts.onFailure = () => {
      if (hosts.chosen.state !== undefined) hint();
    };
  }
  const [only] = hosts.all;
  const connection = connect((only as Host).target, { role: 'airseries_reader', name: 'airseries listen', max: 1 });
  if (isAlone && !hasPooler((only as Host).target)) {
    connection.listen(CHANNEL, hint, hint).catch((error: Error) => {
      log.info({ err: error }, 'no notifications from this database; asking for changes instead');
    });
  }

  return {
    current: () => (performance.now() - contactAt <= CONTACT_MS ? known?.version : undefined),
    lastKnown: () => known,
    sawVersion(version, history) {
      if (known?.history !== history || served === undefined || !(version > known.version)) return;
      if (!Number.isFinite(version)) return; // it depends on no data
      served = { ...served, version };
      hosts.chosen.newest = served;
      if (hosts.chosen.state !== undefined) hosts.chosen.state = { ...hosts.chosen.state, version };
      know({ ...known, version });
    },
    onChange(listener) {
      listeners.push(listener);
    },
    async close() {
      closed = true;
      for (const { repeated } of watched) repeated.close();
      await Promise.all([connection.end({ timeout: 1 }), ...watched.map(({ own }) => own?.destroy())]);
    },
  };
}

/** Asks at once, again after the time that it resolves to, and soon after each hint. `ask` never rejects. */
function repeat(ask: () => Promise<number>): { hint(): void; close(): void } {
  let askedAt = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  let isHinted = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const askIn = (ms: number) => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(run, ms).unref();
  };
  const soon = () => Math.max(0, askedAt + POLL_AT_MOST_EVERY_MS - performance.now());
  async function run(): Promise<void> {
    askedAt = performance.now();
    [isAsking, isHinted] = [true, false];
    const nextMs = await ask();
    isAsking = false;
    askIn(isHinted ? soon() : nextMs);
  }
  void run();
  return {
    hint() {
      isHinted = true; // what is being asked may have been answered before
      if (!isAsking) askIn(soon());
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
