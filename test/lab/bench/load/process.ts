/**
 * The load generator's process. It writes prepared requests to plain sockets and only counts the
 * bytes of what comes back, so that it needs a fraction of what a server needs for the same
 * requests; how busy it was is part of every result.
 */
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { percentile } from '../run/statistics.ts';

export type Job = {
  port: number;
  /** Taken in turn by all connections together. */
  paths: string[];
  headers: Record<string, string>;
  /** The status of every response, or it is counted as wrong. */
  status: number;
  connections: number;
  seconds: number;
  /**
   * Requests a second, each at its time; left out: each connection asks as soon as it was answered.
   */
  rate?: number | undefined;
};

export type Outcome = {
  requests: number;
  wrong: number;
  perSecond: number;
  /** Milliseconds from writing a request to the last byte of its response. */
  p50: number;
  p99: number;
  /** The fastest of all. */
  least: number;
  /**
   * A request's share of the best twentieth of a second, in milliseconds: as fast as the code is
   * where nothing else disturbs the machine.
   */
  best: number;
  /** Share of the time in which this process read responses and wrote requests. */
  busy: number;
};

type Connection = { ask(request: Buffer, done: (status: number) => void): void; close(): void };

/** Milliseconds. */
let working = 0;
const SLICE_MS = 50;

const READ_BYTES = 262_144;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** One request at a time. */
function open(port: number, onClosed: () => void): Promise<Connection> {
  let done: (status: number) => void = () => undefined;
  let status = 0;
  let missing = -1; // bytes of the body; negative while the head is being read
  let head = Buffer.alloc(0);
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const read = (chunk: Buffer) => {
    if (missing >= 0) missing -= chunk.length;
    else {
      const all = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      const end = all.indexOf(END_OF_HEAD);
      if (end === -1) {
        head = Buffer.from(all);
        return;
      }
      head = Buffer.alloc(0);
      const text = all.toString('latin1', 0, end);
      status = Number(text.slice(9, 12));
      const length = status === 304 ? 0 : Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      missing = length - (all.length - end - END_OF_HEAD.length);
    }
    if (missing > 0) return;
    missing = -1;
    done(status);
  };
  return new Promise((resolve, reject) => {
    const onread = {
      buffer,
      callback(bytes: number) {
        const begun = performance.now();
        read(buffer.subarray(0, bytes));
        working += performance.now() - begun;
        return true;
      },
    };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    socket.once('close', onClosed); // or a request that is never answered would be waited for
    socket.once('error', reject).once('connect', () =>
      resolve({
        ask(request, whenDone) {
          done = whenDone;
          socket.write(request);
        },
        close: () => socket.off('close', onClosed).destroy(),
      }),
    );
  });
}

async function work({
  port,
  paths,
  headers,
  status: expected,
  connections,
  seconds,
  rate,
}: Job): Promise<Outcome> {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const requests = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`),
  );
  let lost: (why: string) => void = () => undefined;
  const connectionLost = new Promise<never>((_, reject) => {
    lost = (why) => reject(new Error(why));
  });
  connectionLost.catch(() => undefined); // it may come when nothing waits any more
  const all = await Promise.all(
    Array.from({ length: connections }, () =>
      open(port, () => lost('the server closed a connection')),
    ),
  );
  const took: number[] = [];
  let [turn, wrong] = [0, 0];
  const slice = { began: performance.now(), answers: 0, best: Number.POSITIVE_INFINITY };
  const ask = (connection: Connection, begun: number, next: () => void) => {
    const request = requests[turn % requests.length] as Buffer;
    turn += 1;
    connection.ask(request, (status) => {
      const now = performance.now();
      took.push(now - begun);
      slice.answers += 1;
      if (now - slice.began >= SLICE_MS) {
        slice.best = Math.min(slice.best, (now - slice.began) / slice.answers);
        Object.assign(slice, { began: now, answers: 0 });
      }
      if (status !== expected) wrong += 1;
      next();
    });
  };
  const started = performance.now();
  slice.began = started;
  working = 0;
  const until = started + seconds * 1_000;
  if (rate === undefined) {
    const loop = (connection: Connection, finished: () => void): void => {
      const now = performance.now();
      if (now >= until) finished();
      else ask(connection, now, () => loop(connection, finished));
    };
    const loops = all.map(
      (connection) => new Promise<void>((resolve) => loop(connection, resolve)),
    );
    await Promise.race([Promise.all(loops), connectionLost]);
  } else await Promise.race([atRate(all, { rate, started, until, ask }), connectionLost]);
  const elapsed = (performance.now() - started) / 1_000;
  const busy = working / 1_000 / elapsed;
  for (const connection of all) connection.close();
  return {
    requests: took.length,
    wrong,
    perSecond: took.length / elapsed,
    p50: percentile(took, 50),
    p99: percentile(took, 99),
    least: percentile(took, 0),
    best: slice.best,
    busy,
  };
}

type Steady = {
  rate: number;
  started: number;
  until: number;
  ask(connection: Connection, begun: number, next: () => void): void;
};

/** A request whose time has come when all connections are taken waits, and its waiting counts. */
function atRate(all: readonly Connection[], { rate, started, until, ask }: Steady): Promise<void> {
  const free = [...all];
  const waiting: number[] = [];
  let asked = 0;
  const send = (begun: number): void => {
    const connection = free.shift(); // in turn: a server closes one that is idle for long
    if (connection === undefined) {
      waiting.push(begun);
      return;
    }
    ask(connection, begun, () => {
      free.push(connection);
      const next = waiting.shift();
      if (next !== undefined) send(next);
    });
  };
  return new Promise((resolve) => {
    const tick = () => {
      const now = performance.now();
      for (; asked < ((Math.min(now, until) - started) / 1_000) * rate; asked++)
        send(performance.now());
      if (now < until || free.length < all.length) setTimeout(tick, 1);
      else resolve();
    };
    tick();
  });
}

process.on('message', (job: Job) => {
  work(job).then(
    (outcome) => process.send?.({ outcome }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
