/**
 * The servers that reads may go to: replicas of one database, or its primary. Each is judged by what it says of itself. Reads go to one of
 * them, and stay there while it answers and is not far behind; never to one that knows less than was served, so that nobody who
 * stays with this process sees an older state after a newer one.
 */
import type { DatabaseAddress } from './client.ts';
import type { ApiDb, ApiRow } from './pools.ts';

/** A replica further behind is left where another is better; where none is, what it answers is sent with its age. */
export const MAX_LAG_MS = 30_000;

/** A data version, and which history and timeline counted it. */
export type Counted = { identity: string; timeline: number; version: number };

/** What follows from the last answer of a host. */
export type HostState = Counted & {
  isReplica: boolean;
  /** It has received more than it has replayed, and is not stuck for want of a primary. */
  isReplaying: boolean;
  /** For how long it may have lacked something that its primary had. */
  lagMs: number;
};

export type Host = {
  /** For logs and metrics: host and port. */
  name: string;
  target: DatabaseAddress;
  /** Whether it was found to be of this version of the program. */
  isChecked?: boolean;
  /** Undefined while it does not answer or may not be read from, and `reason` says why. */
  state?: HostState | undefined;
  reason?: string | undefined;
  /** When it was asked what it answered last, by performance.now(). */
  askedAt?: number;
  /** The newest version that it is known to have. */
  newest?: Counted;
  /** It said less than before in the same history: it was set back, or made again from a backup. */
  wentBack?: boolean;
  /** Until when it is known to have had everything, by our clock. */
  completeAt?: number;
  /** What it had received at an instant and has yet to replay: with that, it is complete up to this instant. */
  awaited?: { position: number; at: number } | undefined;
  /** How far it had replayed when it answered last. */
  replayed?: number;
};

export type Hosts = {
  readonly all: readonly Host[];
  /** Where reads go. */
  chosen: Host;
  /** The database cluster that all are of; undefined before the first answer. */
  system?: string;
  /** Called when a connection to the chosen one fails. */
  onFailure: () => void;
};

export function makeHosts(targets: readonly DatabaseAddress[]): Hosts {
  const all = targets.map((target): Host => ({ name: nameOf(target), target }));
  return { all, chosen: all[0] as Host, onFailure: () => undefined };
}

/** A single address is a host, too. */
export function asHosts(target: DatabaseAddress | Hosts): Hosts {
  return typeof target === 'object' && 'all' in target ? target : makeHosts([target]);
}

function nameOf(target: DatabaseAddress): string {
  if (typeof target !== 'string') return 'embedded';
  const { host } = new URL(target);
  return host === '' ? 'PGHOST' : decodeURIComponent(host);
}

/** What a host says of itself. */
type ServerRow = ApiRow<'api.server'> & Pick<ApiRow<'api.freshness'>, 'history' | 'data_version'>;

export async function queryServer(db: ApiDb): Promise<ServerRow> {
  return await db
    .selectFrom('api.server')
    .innerJoin('api.freshness', (join) => join.onTrue())
    .selectAll('api.server')
    .select(['history', 'data_version'])
    .executeTakeFirstOrThrow();
}

/** The cluster and the timeline of a history, as `api.freshness` writes it. */
export function partsOf(history: string): { system: string; timeline: number } {
  const [system = '', timeline] = history.split('-');
  return { system, timeline: Number(timeline) };
}

/** Notes the answer of a host that was asked at `at`, by our clock, when the newest version it was known to have was `before`. */
export function noteAnswer(host: Host, row: ServerRow, at: number, before: Counted | undefined): void {
  const identity = String(row.history);
  const said = { identity, timeline: partsOf(identity).timeline, version: Number(row.data_version) };
  const isLess = before?.identity === identity && said.version < before.version;
  if (isLess) host.wentBack = true;
  // what was read from it meanwhile may be newer than its answer
  const isKnownToHaveMore = !isLess && host.newest?.identity === identity && host.newest.version > said.version;
  host.newest = isKnownToHaveMore ? (host.newest as Counted) : said;

  const isReplica = row.is_replica === true;
  const [received, replayed] = [Number(row.received), Number(row.replayed)];
  // when a primary breaks off, a part of a record may be all that came of it, and is never replayed
  const isStuck = !row.is_receiving && host.replayed === replayed;
  host.replayed = replayed;
  const isReplaying = isReplica && replayed < received && !isStuck;
  host.completeAt = Math.min(at, completeness(host, row, at, isReplaying)); // clocks differ, and may be set back
  host.state = { ...host.newest, isReplica, isReplaying, lagMs: at - host.completeAt };
}

/** Until when the host has everything. The time of the last transaction says little alone: there may have been none since. */
function completeness(host: Host, row: ServerRow, at: number, isReplaying: boolean): number {
  const replayedAt = row.replayed_at === null ? undefined : Date.parse(row.replayed_at);
  if (!row.is_replica || (row.is_receiving && !isReplaying)) {
    host.awaited = undefined;
    return at;
  }
  const known = Math.max(host.completeAt ?? replayedAt ?? at, replayedAt ?? 0);
  const { awaited } = host;
  const isReplayed = awaited !== undefined && Number(row.replayed) >= awaited.position;
  if (isReplayed) host.awaited = undefined;
  if (row.is_receiving) host.awaited ??= { position: Number(row.received), at };
  return isReplayed ? Math.max(known, awaited.at) : known;
}

/** Why a host may not be read from, by the newest timeline of all and the newest version that was served; undefined: it may. */
export function whyNot(state: HostState, timeline: number, served: Counted | undefined): string | undefined {
  if (state.timeline < timeline) return `it is of timeline ${state.timeline}, and another was promoted to ${timeline}`;
  // a primary that knows less was set back: that is another history
  const isOlder = state.isReplica && state.identity === served?.identity && state.version < served.version;
  return isOlder ? `it has data version ${state.version}, and ${served.version} was served` : undefined;
}

/** The newest timeline; of a single host its own counts, whatever it is. */
export function newestTimeline(states: readonly (HostState | undefined)[], served: Counted | undefined): number {
  if (states.length === 1) return 0;
  return Math.max(served?.timeline ?? 0, ...states.map((state) => state?.timeline ?? 0));
}

/**
 * Which host to read from: the present one for as long as it may be, otherwise the freshest. Undefined: none. Where all are too late, another
 * must be much fresher, or reads would go to and fro.
 */
export function chooseHost(
  states: readonly (HostState | undefined)[],
  present: number,
  served: Counted | undefined,
): number | undefined {
  const timeline = newestTimeline(states, served);
  const usable = [...states.entries()].flatMap(([index, state]) =>
    state !== undefined && whyNot(state, timeline, served) === undefined
      ? [{ ...state, index, isLate: Number(state.lagMs > MAX_LAG_MS) }]
      : [],
  );
  const [best] = usable.sort((a, b) => a.isLate - b.isLate || b.version - a.version || a.lagMs - b.lagMs);
  const stays = usable.find(({ index }) => index === present);
  if (best === undefined || stays === undefined) return best?.index;
  const isMuchFresher = best.isLate < stays.isLate || best.lagMs < stays.lagMs - MAX_LAG_MS;
  return stays.isLate && isMuchFresher ? best.index : present;
}
