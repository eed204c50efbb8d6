/** The least that a server can do: one prepared response to every request, by node:http alone. */
import { createServer } from 'node:http';

process.on('message', ({ status, headers, body }) => {
  const bytes = Buffer.from(body);
  const server = createServer({ keepAliveTimeout: 75_000 }, (_req, res) => {
    res.writeHead(status, headers);
    res.end(status === 304 ? undefined : bytes);
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});
process.on('disconnect', () => process.exit(0));
