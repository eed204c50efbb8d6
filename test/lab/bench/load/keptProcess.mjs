/** A kept document as others send it: Fastify or Express sends one prepared Buffer with its headers. */
import express from 'express';

async function listen(kind, { status, headers, bytes }) {
  if (kind === 'express') {
    const app = express().disable('x-powered-by');
    app.get('/{*path}', (_req, res) => res.status(status).set(headers).send(bytes));
    const server = app.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    server.keepAliveTimeout = 75_000;
    return;
  }
  const { default: fastify } = await import('fastify');
  const app = fastify({ keepAliveTimeout: 75_000 });
  app.get('/*', (_req, reply) => reply.code(status).headers(headers).send(bytes));
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.send({ port: app.server.address().port });
}

process.on('message', ({ kind, status, headers: raw, body }) => {
  const pairs = raw.flatMap((name, n) => (n % 2 === 0 ? [[name, raw[n + 1]]] : []));
  const headers = Object.fromEntries(pairs.filter(([name]) => !/^content-length$/i.test(name)));
  void listen(kind, { status, headers, bytes: Buffer.from(body) });
});
process.on('disconnect', () => process.exit(0));
