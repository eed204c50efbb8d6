/** The ingestion port opens with the first token, without a restart. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openListener } from '../../../src/ingest/http/app.ts';
import { keepingLog } from '../../support/keepingLog.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '[::1]'],
])(
  'HTTP ingestion opens within a second of the first token, and logs its address (%s)',
  async (host, shown) => {
    let tokens = 0;
    const log = keepingLog();
    const said = () => log.lines.map(({ message }) => message);
    const listener = await openListener({
      app: (_req, res) => res.end(),
      host,
      port: 0,
      variable: 'INGEST_PORT',
      hasTokens: async () => tokens > 0,
      log,
    });
    expect(said()).toEqual(['HTTP ingestion is closed: there is no token yet']);
    tokens = 1;
    vi.advanceTimersByTime(1_000);
    await vi.waitFor(() => expect(said()).toHaveLength(2));
    const [, address = ''] =
      /^HTTP ingestion is open at (.*)\/v1\/readings$/.exec(said()[1] ?? '') ?? [];
    expect(address).toContain(`http://${shown}:`);
    expect((await fetch(address)).status).toBe(200);
    vi.useRealTimers(); // closing looks for idle connections at an interval
    await listener.close();
  },
);
