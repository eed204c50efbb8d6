/**
 * One prepared response to every request: by node:http alone, the least that a server can do, or as
 * Express sends a Buffer with its headers.
 */
import { createServer } from 'node:http';
import express from 'express';

/** The server, which answers its requests. */
function make(kind, { status, headers, bytes }) {
  if (kind === 'bare')
    return createServer((_req, res) => {
      res.writeHead(status, headers);
      res.end(status === 304 ? undefined : bytes);
    });
  const pairs = headers.flatMap((name, n) => (n % 2 === 0 ? [[name, headers[n + 1]]] : []));
  const named = Object.fromEntries(pairs.filter(([name]) => !/^content-length$/i.test(name)));
  const app = express().disable('x-powered-by');
  return createServer(app.use((_req, res) => res.status(status).set(named).send(bytes)));
}

process.on('message', ({ kind, status, headers, body }) => {
  const server = make(kind, { status, headers, bytes: Buffer.from(body) });
  server.keepAliveTimeout = 75_000;
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});
process.on('disconnect', () => process.exit(0));
