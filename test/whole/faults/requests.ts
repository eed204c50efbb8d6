/** Requests to the ingest app in parts, for clients that stall or disconnect. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { beginRequest } from '../../support/http.ts';

export type Here = { server: Server; port: number; close(): void };

export async function serve(app: RequestListener): Promise<Here> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Begun = { body?: string; length?: number; path?: string };

/**
 * A connection that has sent the headers of a request and `body`, the first part of `length` bytes.
 */
export function begin(
  port: number,
  token: string,
  { body = '', length, path = '/v1/readings' }: Begun,
): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Sensor: esp8266-1\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${length ?? body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** The status of the first answer; 0 if the connection ends without one. */
export async function statusOf(socket: Socket): Promise<number> {
  const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(answer))?.[1] ?? 0);
}

/** A whole request, on its own connection. */
export async function post(
  port: number,
  token: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const all = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers };
  const answer = await beginRequest(port, {
    method: 'POST',
    path: '/v1/readings',
    headers: all,
  }).finish(body);
  return { status: answer.status, body: JSON.parse(answer.body) };
}
