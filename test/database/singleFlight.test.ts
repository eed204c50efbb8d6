/** Calls that share one run. */
import { expect, it } from 'vitest';
import { singleFlight } from '../../src/database/singleFlight.ts';

it('calls during a run share it, and a later call runs again, even after a failure', async () => {
  let runs = 0;
  const run = singleFlight(async () => {
    runs += 1;
    if (runs === 2) throw new Error('broken');
    return runs;
  });
  expect(await Promise.all([run(), run(), run()])).toEqual([1, 1, 1]);
  await expect(run()).rejects.toThrow('broken');
  expect(await run()).toBe(3);
});
