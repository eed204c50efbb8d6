/** The service as a process on a test database, with every listener open: started, talked to, and told to stop. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { createToken } from '../../src/push/tokens.ts';
import type { Installation } from './installation.ts';
import { freePort, placeOf, type Running, ready, start } from './program.ts';

export const SERVICE_NOW = new Date('2026-11-20T12:00:00Z');

export type Service = Running & {
  port: Record<'public' | 'admin' | 'ingest', number>;
  /** Lets its bearer send readings for the provider `us`. */
  token: string;
  /** Resolves when the log holds this. */
  logged(text: string): Promise<void>;
};

export async function startService(here: Installation, environment: Record<string, string> = {}): Promise<Service> {
  const owner = here.database.as();
  const { token } = await createToken(owner, { name: 'feed', provider: 'us', stations: null, now: SERVICE_NOW });
  const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
  const service = start('main', [], {
    ...placeOf(here.database.target),
    DATABASE_URL: 'postgres://', // where it is, the driver takes from the variables of the place
    FIXED_NOW: SERVICE_NOW.toISOString(),
    PORT,
    ADMIN_PORT,
    INGEST_PORT,
    ...environment,
  });
  await ready(ADMIN_PORT, service);
  const logged = (text: string) => until(() => service.log().includes(text), `the log says "${text}"`);
  await logged('ready: ');
  const port = { public: Number(PORT), admin: Number(ADMIN_PORT), ingest: Number(INGEST_PORT) };
  return { ...service, port, token, logged };
}

/** Looks again and again, for twenty seconds at most. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within twenty seconds: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export type Answer = { status: number; headers: IncomingMessage['headers']; body: string };

/** Status 0: nobody listens there, or the connection was cut. */
export function ask(port: number, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return beginRequest(port, { method: 'GET', path, headers }).finish();
}

type Begun = {
  /** What has come back so far, if anything. */
  answered(): boolean;
  /** Sends the rest, and resolves to the answer. */
  finish(rest?: string): Promise<Answer>;
};

/** A request whose head, and `body`, are sent, and whose end is not. */
export function beginRequest(
  port: number,
  { method, path, headers, body }: { method: string; path: string; headers: Record<string, string>; body?: string },
): Begun {
  let done = false;
  const agent = new Agent(); // a connection of its own
  const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent });
  const answer = new Promise<Answer>((resolve) => {
    const settle = (outcome: Answer) => {
      done = true;
      resolve(outcome);
    };
    sent.on('error', () => settle({ status: 0, headers: {}, body: '' }));
    sent.on('response', (res) => {
      let text = '';
      res.on('data', (chunk) => {
        text += chunk;
      });
      res.on('close', () =>
        settle({ status: res.complete ? (res.statusCode ?? 0) : 0, headers: res.headers, body: text }),
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

/** A batch of readings, all but its last byte, which is a bracket. */
export function beginBatch({ port, token }: Service, readings: object[]): Begun {
  const text = JSON.stringify(readings);
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
  };
  return beginRequest(port.ingest, { method: 'POST', path: '/v1/readings', headers, body: text.slice(0, -1) });
}
