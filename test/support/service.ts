/** The service as a process on a test database, with every listener open; and requests to it. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { createToken } from '../../src/ingest/http/tokens.ts';
import type { Installation } from './installation.ts';
import { until } from './patience.ts';
import { addressVariables, freePort, type Running, ready, start } from './program.ts';

export { until };

export const SERVICE_NOW = new Date('2026-11-20T12:00:00Z');

export type Service = Running & {
  port: Record<'public' | 'admin' | 'ingest', number>;
  /** A token scoped to the provider `us`. */
  token: string;
  /** Resolves when the log contains this. */
  logged(text: string): Promise<void>;
};

/** Starts the service with these variables; resolves once it is ready. */
export async function startService(
  here: Installation,
  environment: Record<string, string> = {},
): Promise<Service> {
  const service = await beginService(here, environment);
  await service.ready();
  return service;
}

/** The same; resolves while it starts. */
export async function beginService(
  here: Installation,
  environment: Record<string, string> = {},
): Promise<Service & { ready(): Promise<void> }> {
  const owner = here.database.as();
  const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
  const { token } = await createToken(owner, {
    name: `feed ${PORT}`,
    provider: 'us',
    stations: null,
    now: SERVICE_NOW,
  });
  const service = start(['start'], {
    ...addressVariables(here.database.target),
    DATABASE_URL: 'postgres://', // the driver reads the address from PGHOST and others
    FIXED_NOW: SERVICE_NOW.toISOString(),
    PORT,
    ADMIN_PORT,
    INGEST_PORT,
    ...environment,
  });
  const logged = (text: string) =>
    until(() => service.log().includes(text), `the log says "${text}"`);
  return {
    ...service,
    port: { public: Number(PORT), admin: Number(ADMIN_PORT), ingest: Number(INGEST_PORT) },
    token,
    logged,
    async ready() {
      await ready(ADMIN_PORT, service);
      await logged('ready: ');
    },
  };
}

export type Answer = { status: number; headers: IncomingMessage['headers']; body: string };

/** GET. Status 0: nothing listens on the port, or the connection was cut. */
export function httpGet(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  host = '127.0.0.1',
): Promise<Answer> {
  return beginRequest(port, { method: 'GET', path, headers, host }).finish();
}

type Begun = {
  /** The answer so far, if any. */
  answered(): boolean;
  /** Sends the rest of the body; resolves to the answer. */
  finish(rest?: string | Buffer): Promise<Answer>;
};

type Begin = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  host?: string;
};

/** Sends the headers of a request and `body`, the first part of its body. */
export function beginRequest(
  port: number,
  { method, path, headers, body, host = '127.0.0.1' }: Begin,
): Begun {
  let done = false;
  // its own connection, which it does not ask to close
  const agent = new Agent({ keepAlive: true });
  const sent = httpRequest({ host, port, method, path, headers, agent });
  const answer = new Promise<Answer>((resolve) => {
    const settle = (outcome: Answer) => {
      done = true;
      agent.destroy();
      resolve(outcome);
    };
    sent.on('error', () => settle({ status: 0, headers: {}, body: '' }));
    sent.on('response', (res) => {
      let text = '';
      res.on('data', (chunk) => {
        text += chunk;
      });
      res.on('close', () =>
        settle({
          status: res.complete ? (res.statusCode ?? 0) : 0,
          headers: res.headers,
          body: text,
        }),
      );
    });
  });
  if (body !== undefined) sent.write(body);
  return {
    answered: () => done,
    finish(rest = '') {
      sent.end(rest);
      return answer;
    },
  };
}

/** Sends a batch of readings without its last byte, a bracket. */
export function beginBatch(
  { port, token }: { port: { ingest: number }; token: string },
  readings: object[],
): Begun {
  const text = JSON.stringify(readings);
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
  };
  return beginRequest(port.ingest, {
    method: 'POST',
    path: '/v1/readings',
    headers,
    body: text.slice(0, -1),
  });
}
