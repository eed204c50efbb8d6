/** Probes while work is under way. */
import { describe, expect, it } from 'vitest';
import { withLivenessProbe } from '../../src/database/liveness.ts';

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
  it('work is waited for as long as every probe is answered', async () => {
    const { work, probe } = workOfThreeProbes();
    expect(await withLivenessProbe(work, async () => probe(), TIMING)).toBe('done');
  });

  it('work is waited for while the server answers probes with an error', async () => {
    const { work, probe } = workOfThreeProbes();
    const refusing = async () => {
      probe();
      throw Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
    };
    expect(await withLivenessProbe(work, refusing, TIMING)).toBe('done');
  });

  it('work is given up when a probe gets no answer, or no server is there', async () => {
    await expect(withLivenessProbe(never(), never, TIMING)).rejects.toMatchObject({
      code: 'UNREACHABLE',
    });
    const refused = () =>
      Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    await expect(withLivenessProbe(never(), refused, TIMING)).rejects.toMatchObject({
      code: 'UNREACHABLE',
    });
  });

  it('work that ends in time gets no probe, and its own result or error', async () => {
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
