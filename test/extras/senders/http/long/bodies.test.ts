/** No body blocks the event loop for long, alone or with as many as are accepted at once. */
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openPushing, type Pushing } from '../../../../ingest/http/pushing.ts';
import { costOf, leastHeld } from '../../../../whole/faults/costs.ts';
import { type Here, post, serve } from '../../../../whole/faults/requests.ts';
import { HOSTILE, type Hostile } from './hostile.ts';

const MOST_MS = 100;
/** Short enough not to try again, in ms. */
const ENOUGH_MS = 70;

let pushing: Pushing;
let tokens: string[];
let here: Here;
beforeAll(async () => {
  pushing = await openPushing('plain');
  tokens = [pushing.token];
  for (const name of ['b', 'c', 'd']) tokens.push(await pushing.makeToken(name));
  here = await serve(pushing.app);
});
afterEach(() => pushing.owner`truncate raw.readings, raw.quarantine`);
afterAll(async () => {
  here.close();
  await pushing.close();
});

/** Sends a body with each of these tokens at once, the bodies in turn; resolves to the statuses. */
function sending(bodies: readonly Hostile[], senders: readonly string[]) {
  const packed = bodies.map(({ body, type }) => ({
    body: gzipSync(body(), { level: 1 }),
    headers: { 'Content-Type': type, 'Content-Encoding': 'gzip' },
  }));
  return async () => {
    const sent = senders.map((token, n) => {
      const { body, headers } = packed[n % packed.length] as (typeof packed)[number];
      return post(here.port, token, body, headers);
    });
    return (await Promise.all(sent)).map(({ status }) => status);
  };
}

// first, because memory freed by other tests would be reused
it('sixteen nested bodies at once take at most 400 MB', async ({ annotate }) => {
  const nested = HOSTILE.filter(({ what }) => /levels|in objects/.test(what));
  const work = sending(nested, [...tokens, ...tokens, ...tokens, ...tokens]);
  const { megabytes, seconds } = await costOf(work);
  const heldMs = await leastHeld(work, ENOUGH_MS);
  await annotate(
    `row 4: 16 nested bodies at once: the loop held up for ${heldMs.toFixed(0)} ms, ${seconds.toFixed(1)} s in all, ${megabytes.toFixed(0)} MB`,
  );
  expect(heldMs).toBeLessThan(MOST_MS);
  expect(megabytes).toBeLessThan(400);
});

it.for(HOSTILE.map((body) => [body.what, body] as const))(
  `a body is answered as expected, and blocks the event loop for at most ${MOST_MS} ms: %s`,
  async ([what, body], { annotate }) => {
    const work = sending([body], [pushing.token]);
    // 422: it was read, and none of its readings could be used
    expect(body.status === 200 ? [200, 422] : [body.status]).toContain((await work())[0]);
    const heldMs = await leastHeld(work, ENOUGH_MS);
    await annotate(`row 3: ${what} held the loop up for ${heldMs.toFixed(0)} ms`);
    expect(heldMs).toBeLessThan(MOST_MS);
  },
);
