/** Ports for servers that tests start. */
import { createServer } from 'node:net';

/**
 * Ports below those that the system assigns, in a range of this Vitest worker, so that no other
 * test listens there.
 */
let nextPort =
  12_000 +
  (Number(process.env.VITEST_POOL_ID ?? 0) % 8) * 2_500 +
  Math.floor(Math.random() * 2_000);

export async function freePort(): Promise<string> {
  for (;;) {
    const port = nextPort++;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return String(port);
  }
}
