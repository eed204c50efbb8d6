/** Clients that disconnect at any stage of a request leave no slot taken. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPushing, type Pushing } from '../push/pushing.ts';

let pushing: Pushing;
let server: Server;
let port: number;
let tokens: string[];

beforeAll(async () => {
  pushing = await openPushing('plain');
  tokens = [pushing.token]; // a token has four slots of the sixteen
  for (const name of ['second', 'third', 'fourth']) tokens.push(await pushing.makeToken(name));
  server = createServer(pushing.app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await pushing.close();
});

const BODY = JSON.stringify([{ sensor_id: 1, time: '2026-11-20T11:00:00Z', pm25: 1 }]);

/** Sends the beginning of a request and disconnects once the server has it. */
async function leave(stage: 'looking up the token' | 'in the body'): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const arrived = once(server, 'request');
  const sent = stage === 'in the body' ? BODY.slice(0, 5) : BODY;
  socket.write(
    `POST /v1/readings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${pushing.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${sent}`,
  );
  const [, res] = await arrived;
  const closed = once(res, 'close');
  socket.destroy();
  await closed;
}

async function statuses(n: number): Promise<number[]> {
  const all = Array.from({ length: n }, (_, index) =>
    fetch(`http://127.0.0.1:${port}/v1/readings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokens[index % 4]}`, 'Content-Type': 'application/json' },
      body: BODY,
    }).then((answer) => answer.status),
  );
  return await Promise.all(all);
}

it('40 clients disconnect while their token is looked up', async () => {
  const blocker = pushing.database.as();
  await blocker`select`; // the driver reserves only connections that are already open
  const connection = await blocker.reserve();
  await connection`begin`;
  await connection`lock table raw.token in access exclusive mode`;
  for (let n = 0; n < 40; n++) await leave('looking up the token');
  await connection`rollback`;
  connection.release();
  for (let n = 0; n < 5; n++) expect(await statuses(16)).toEqual(Array(16).fill(200));
});

it('1,000 clients disconnect in the middle of their body', async () => {
  for (let n = 0; n < 1_000; n++) await leave('in the body');
  expect(await statuses(16)).toEqual(Array(16).fill(200));
});
