/** The disk of the embedded server is watched. */
import { expect, it } from 'vitest';
import { embedded } from '../../../src/extras/embedded/extra.ts';
import { makeMetrics } from '../../../src/metrics/definitions.ts';

it('the metric of free disk space has a value only with an embedded server', async () => {
  const metrics = makeMetrics();
  const own = embedded.metrics?.(metrics) as { observeDisk(folder: string): void };
  expect(await metrics.scrape()).toContain('airseries_disk_free_bytes Nan');
  own.observeDisk('.');
  expect(await metrics.scrape()).toMatch(/airseries_disk_free_bytes [1-9]\d{6,}/);
});
