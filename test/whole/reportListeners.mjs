/**
 * Loaded into a program before its own code (NODE_OPTIONS=--import): writes the limits of every HTTP server that takes a request into
 * the folder that LISTENERS names, one file for each port.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

subscribe('http.server.request.start', ({ server }) => {
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server;
  const limits = JSON.stringify({ headersTimeout, requestTimeout, keepAliveTimeout, timeout });
  writeFileSync(join(process.env.LISTENERS, `${server.address()?.port}.json`), limits);
});
