/**
 * The connections of a pool: which of them runs a statement, and after which failures all of them
 * are replaced. The others are probably dead too, and one that broke during a query passes the
 * error to the next query it is given. A migration may have rebuilt the schema, and connections
 * keep what they prepared before.
 */
import type { Sql } from './client.ts';
import { endedItsSession, failureOf } from './errors.ts';
import { singleFlight } from './singleFlight.ts';

/** Younger connections have hardly prepared any statement on an earlier schema. */
const REPLACED_AT_MOST_EVERY_MS = 1_000;

type Lease = {
  connection: Sql;
  /** Asks the server something short on another connection. Concurrent calls share one question. */
  probe: () => Promise<unknown>;
  giveBack(): void;
  /** Replaces all connections if the failure asks for it and no other has done so; then true. */
  failed(error: unknown): boolean;
};

export type Connections = {
  /** The idle connection that was used last. The caller has a permit, so there is one. */
  take(): Lease;
  /** Statements under way have a second to finish. */
  close(): Promise<void>;
};

/** `open` makes a connection, which connects at its first query. */
export function makeConnections(count: number, open: () => Sql): Connections {
  let current = openSet(count, open);
  let isClosed = false;
  return {
    take() {
      const used = current;
      // the processor still has its backend's plans in its caches, a quarter of the time
      const connection = used.idle.pop() as Sql;
      return {
        connection,
        probe: used.probe,
        giveBack: () => void used.idle.push(connection),
        failed(error) {
          if (isClosed || used !== current || !isReplacedAfter(error, used.openedAt)) {
            return false;
          }
          current = openSet(count, open);
          end(used.all).catch(() => undefined);
          return true;
        },
      };
    },
    async close() {
      isClosed = true;
      await end(current.all);
    },
  };
}

function openSet(count: number, open: () => Sql) {
  const connections = Array.from({ length: count }, open);
  const prober = open();
  return {
    openedAt: performance.now(),
    idle: [...connections],
    all: [...connections, prober],
    probe: singleFlight(() => prober.unsafe('select 1')),
  };
}

/** As the table in errors.ts says. */
function isReplacedAfter(error: unknown, openedAt: number): boolean {
  const { kind } = failureOf(error);
  if (kind === 'lost' || kind === 'silent' || endedItsSession(error)) return true;
  const isOlder = performance.now() - openedAt > REPLACED_AT_MOST_EVERY_MS;
  return (kind === 'schema' || kind === 'refused') && isOlder;
}

const end = (connections: readonly Sql[]) =>
  Promise.all(connections.map((sql) => sql.end({ timeout: 1 })));
