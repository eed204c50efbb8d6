/** The least that a server can do: one prepared response to every request, by node:http alone or by an Express app of one route. */
import { createServer } from 'node:http';
import express from 'express';

process.on('message', ({ kind, status, headers, body }) => {
  const bytes = Buffer.from(body);
  const bare = (_req, res) => {
    res.writeHead(status, headers);
    res.end(status === 304 ? undefined : bytes);
  };
  const app = express();
  app.get('/{*path}', (_req, res) => {
    for (let index = 0; index < headers.length; index += 2) res.set(headers[index], headers[index + 1]);
    res.status(status).send(bytes);
  });
  const server = createServer({ keepAliveTimeout: 75_000 }, kind === 'express' ? app : bare);
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});
process.on('disconnect', () => process.exit(0));
