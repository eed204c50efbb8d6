/**
 * Limits on waiting: probes while work is under way, calls that share one flight, and statements
 * that wait for a connection.
 */
import { describe, expect, it } from 'vitest';
import { Unavailable } from '../../src/base/unavailable.ts';
import { makeSemaphore, singleFlight, withLivenessProbe } from '../../src/database/timeouts.ts';

const TIMING = { intervalMs: 5, timeoutMs: 5 };
const never = () => new Promise<never>(() => undefined);

/** Work that resolves at the third probe. */
function workOfThreeProbes() {
  let finish: (result: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  let probes = 0;
  const probe = () => {
    probes += 1;
    if (probes === 3) finish('done');
  };
  return { work, probe };
}

describe('withLivenessProbe', () => {
  it('waits as long as every probe is answered', async () => {
    const { work, probe } = workOfThreeProbes();
    expect(await withLivenessProbe(work, async () => probe(), TIMING)).toBe('done');
  });

  it('waits for a server that answers with an error', async () => {
    const { work, probe } = workOfThreeProbes();
    const refusing = async () => {
      probe();
      throw Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
    };
    expect(await withLivenessProbe(work, refusing, TIMING)).toBe('done');
  });

  it('gives up when a probe gets no answer, or no server is there', async () => {
    await expect(withLivenessProbe(never(), never, TIMING)).rejects.toMatchObject({
      code: 'UNREACHABLE',
    });
    const refused = () =>
      Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    await expect(withLivenessProbe(never(), refused, TIMING)).rejects.toMatchObject({
      code: 'UNREACHABLE',
    });
  });

  it('does not take a delay of its own process for silence of the server', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const busy = (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; );
    };
    const probe = async () => {
      for (let n = 0; n < 5; n++) await turn(); // as many as connecting takes
    };
    const work = async () => {
      for (let n = 0; n < 20; n++) {
        busy(20);
        await turn();
      }
      return 'done';
    };
    expect(await withLivenessProbe(work(), probe, { intervalMs: 5, timeoutMs: 15 })).toBe('done');
  });

  it('sends no probe for work that ends in time, and rejects as the work does', async () => {
    let probes = 0;
    const probe = async () => {
      probes += 1;
    };
    expect(await withLivenessProbe(Promise.resolve(1), probe, TIMING)).toBe(1);
    await expect(
      withLivenessProbe(Promise.reject(new Error('broken')), probe, TIMING),
    ).rejects.toThrow('broken');
    expect(probes).toBe(0);
  });
});

describe('singleFlight', () => {
  it('shares one run among the calls made during it, and runs again afterwards, even after a failure', async () => {
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
});

describe('makeSemaphore', () => {
  it('lets two wait for one connection, and refuses a third at once', async () => {
    const slots = makeSemaphore(1, { acquireTimeoutMs: 10_000, maxWaiting: 2 });
    await slots.acquire();
    const waiting = [slots.acquire(), slots.acquire()];
    await expect(slots.acquire()).rejects.toThrow(Unavailable);
    expect([slots.inUse(), slots.waiting()]).toEqual([1, 2]);
    for (const one of waiting) {
      slots.release();
      await one;
    }
    slots.release();
    expect([slots.inUse(), slots.waiting()]).toEqual([0, 0]);
  });

  it('gives the place of one that no longer wants to wait to another', async () => {
    const slots = makeSemaphore(1, { acquireTimeoutMs: 10_000, maxWaiting: 1 });
    await slots.acquire();
    const leaving = new AbortController();
    const left = slots.acquire(leaving.signal);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await expect(slots.acquire(leaving.signal)).rejects.toThrow('left');
    const next = slots.acquire();
    slots.release();
    await next;
    expect([slots.inUse(), slots.waiting()]).toEqual([1, 0]);
  });

  it('lets one that waits too long give up, and makes room for another', async () => {
    const slots = makeSemaphore(1, { acquireTimeoutMs: 20, maxWaiting: 1 });
    await slots.acquire();
    await expect(slots.acquire()).rejects.toThrow(
      'no database connection became free within 20 ms',
    );
    expect(slots.waiting()).toBe(0);
    const next = slots.acquire();
    slots.release();
    await next;
    expect([slots.inUse(), slots.waiting()]).toEqual([1, 0]);
  });
});
