/** One token floods the service with invalid lines: its quarantine stays within its limit, and every line is accounted for. */
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { openPushing } from '../../push/pushing.ts';
import { post, serve } from '../requests.ts';

const BODIES = 40;
const LINES = 100;
const BOUND = 128 * 1_048_576;

it('240 MB of invalid lines', async ({ annotate }) => {
  const pushing = await openPushing('plain');
  onTestFinished(() => pushing.close());
  const here = await serve(pushing.app);
  onTestFinished(() => here.close());

  const began = performance.now();
  let left = BODIES;
  let sent = 0;
  let leftOut = 0;
  const sending = async () => {
    while (left > 0) {
      left -= 1;
      const lines = Array.from({ length: LINES }, () => randomBytes(30_000).toString('hex'));
      const body = [`{"sensor_id":99,"time":"2026-11-20T11:00:00Z"}`, ...lines].join('\n');
      const answer = await post(here.port, pushing.token, body, { 'Content-Type': 'text/plain' });
      expect(answer.status).toBe(200);
      sent += LINES;
      leftOut += (answer.body as { left_out_of_quarantine?: number }).left_out_of_quarantine ?? 0;
    }
  };
  await Promise.all([sending(), sending(), sending(), sending()]);
  const seconds = (performance.now() - began) / 1_000;

  const [held] = await pushing.owner`
    select count(*)::int as lines, sum(octet_length(text) + 512)::int as bytes, pg_total_relation_size('raw.quarantine')::int as disk
    from raw.quarantine`;
  expect(held?.lines + leftOut).toBe(sent + 1); // plus one: the reading of an unknown sensor is the same in every batch
  expect(held?.bytes).toBeLessThanOrEqual(BOUND);
  expect(held?.bytes).toBeGreaterThan(BOUND - 70_000);
  await annotate(
    `row 16: of ${((sent * 60_000) / 1e6).toFixed(0)} MB of invalid lines in ${seconds.toFixed(0)} s ${(held?.bytes / 1e6).toFixed(0)} MB are in quarantine (${(held?.disk / 1e6).toFixed(0)} MB on disk), ${leftOut} of ${sent} lines were left out and counted`,
  );
});
