/** The ingest port opens with the first token and not before: a service that nobody may send to listens to nobody. */
import type { RequestListener } from 'node:http';
import { type Listening, listen } from '../http/listen.ts';
import type { Log } from '../log.ts';

type Options = {
  app: RequestListener;
  host: string;
  port: number;
  /** Whether there is a token that was not revoked. */
  hasTokens: () => Promise<boolean>;
  log: Log;
};

export type IngestListener = Pick<Listening, 'drain'> & { close(): Promise<void> };

const LOOK_EVERY_MS = 10_000;
/** Headers, the token looked up, and ten seconds for the body (which the app sees to, and answers). */
const REQUEST_MS = 20_000;
/** Of each, a piece of a body may lie in memory. */
const CONNECTIONS = 500;

/** Looks now and every ten seconds; rejects if there are tokens and the port cannot be had. An open door stays open. */
export async function openListener({ app, host, port, hasTokens, log }: Options): Promise<IngestListener> {
  let listening: Listening | undefined;
  const look = async () => {
    if (listening !== undefined || !(await hasTokens())) return;
    listening = await listen(app, {
      host,
      port,
      variable: 'INGEST_PORT',
      requestMs: REQUEST_MS,
      connections: CONNECTIONS,
      log,
    });
    log.info(`HTTP ingestion is open at http://${host}:${listening.port}/v1/readings`);
  };
  await look();
  if (listening === undefined) log.info('HTTP ingestion is closed: there is no token yet');
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(look)
      .catch((error: Error) => log.error({ err: error }, 'the ingestion port could not be opened; retrying'));
  }, LOOK_EVERY_MS);
  return {
    drain: () => listening?.drain(),
    async close() {
      clearInterval(timer);
      await looking;
      await listening?.close();
    },
  };
}
