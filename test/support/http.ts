/** Requests to the listeners of a service, each on a connection of its own. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

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
