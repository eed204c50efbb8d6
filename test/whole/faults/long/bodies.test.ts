/** No body blocks the event loop for long, alone or with as many as are accepted at once. */
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openPushing, type Pushing } from '../../../ingest/http/pushing.ts';
import { costOf, leastHeld } from '../costs.ts';
import { type Here, post, serve } from '../requests.ts';
import { type WorstBody, worstBodies } from './worstBodies.ts';

const MOST_MS = 100;
/** Short enough not to try again, in ms. */
const ENOUGH_MS = 70;
const BODIES = worstBodies();

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

const headersOf = ({ lines }: WorstBody) => ({
  'Content-Type': lines ? 'application/x-ndjson' : 'application/json',
  'Content-Encoding': 'gzip',
});
const pack = ({ text }: WorstBody) => gzipSync(text, { level: 1 });

/** Four with each token: all the slots. */
const sixteen = (bodies: WorstBody[]) => {
  const packed = bodies.map((body) => [pack(body), headersOf(body)] as const);
  return async () => {
    const sent = Array.from({ length: 16 }, (_, n) => {
      const [body, headers] = packed[n % packed.length] as (typeof packed)[number];
      return post(here.port, tokens[Math.floor(n / 4)] as string, body, headers);
    });
    for (const { status } of await Promise.all(sent))
      expect([200, 400, 413, 422]).toContain(status);
  };
};
const named = (pattern: RegExp) => BODIES.filter(({ name }) => pattern.test(name));

// first, because memory freed by other tests would be reused
it('sixteen nested bodies at once take at most 400 MB', async ({ annotate }) => {
  const nested = named(/brackets|in objects|a nested value/);
  const wire = Math.max(...nested.map((body) => gzipSync(body.text).length)) / 1_024;
  const work = sixteen(nested);
  const { megabytes, seconds } = await costOf(work);
  const heldMs = await leastHeld(work, ENOUGH_MS);
  await annotate(
    `row 4: 16 nested bodies at once, of ${wire.toFixed(0)} KiB at most on the wire: the loop held up for ${heldMs.toFixed(0)} ms, ${seconds.toFixed(1)} s in all, ${megabytes.toFixed(0)} MB`,
  );
  expect(heldMs).toBeLessThan(MOST_MS);
  expect(megabytes).toBeLessThan(400);
});

it(`each of ${BODIES.length} bodies blocks the event loop for at most ${MOST_MS} ms`, async ({
  annotate,
}) => {
  const costs: { name: string; heldMs: number }[] = [];
  for (const body of BODIES) {
    const packed = pack(body);
    const work = async () => {
      const { status } = await post(here.port, pushing.token, packed, headersOf(body));
      expect([200, 400, 413, 422]).toContain(status);
    };
    costs.push({ name: body.name, heldMs: await leastHeld(work, ENOUGH_MS) });
    await pushing.owner`truncate raw.quarantine`;
  }
  costs.sort((a, b) => b.heldMs - a.heldMs);
  const [worst] = costs;
  await annotate(
    `row 3: the worst of ${costs.length} bodies held the loop up for ${worst?.heldMs.toFixed(0)} ms (${worst?.name})`,
  );
  expect(costs.filter(({ heldMs }) => heldMs > MOST_MS)).toEqual([]);
});

it('sixteen of the worst bodies at once do not block the event loop longer', async ({
  annotate,
}) => {
  const heldMs = await leastHeld(
    sixteen(named(/as long as can be|long characters|every metric|many keys/)),
    ENOUGH_MS,
  );
  await annotate(
    `row 3: 16 of the worst bodies at once held the loop up for ${heldMs.toFixed(0)} ms`,
  );
  expect(heldMs).toBeLessThan(MOST_MS);
});
