/** Readings that several documents share, with a clock and data versions that the test sets. */
import { beforeEach, describe, expect, it } from 'vitest';
import { shareWhileCurrent } from '../../src/documents/validity.ts';

let now: number;
let version: number;
let history: string;
let inContact: boolean;
let readings: { finish(): void; fail(): void }[];

const versions = {
  current: () => (inContact ? version : undefined),
  lastKnown: () => ({ history, version, at: new Date(now) }),
  onChange: () => undefined,
  sawVersion: () => undefined,
};

beforeEach(() => {
  [now, version, history, inContact, readings] = [1_000, 1, 'first', true, []];
});

/** What was read is its number; each reading ends when the test says so. It is valid for a second. */
const share = () =>
  shareWhileCurrent(
    async (at) => {
      const read = { n: readings.length + 1, validUntil: new Date(at.getTime() + 1_000), version };
      await new Promise<void>((resolve, reject) => {
        readings.push({ finish: resolve, fail: () => reject(new Error('away')) });
      });
      return read;
    },
    { clock: () => new Date(now), versions },
  );

const settle = () => new Promise((resolve) => setImmediate(resolve));
/** Lets the reading of this number end. */
async function finish(n: number): Promise<void> {
  await settle();
  readings[n - 1]?.finish();
  await settle();
}

describe('a shared reading', () => {
  it('is made once for all who ask while it is current', async () => {
    const read = share();
    const asked = [read(), read()];
    await finish(1);
    expect(await Promise.all(asked)).toMatchObject([{ n: 1 }, { n: 1 }]);
    now += 999;
    expect(await read()).toMatchObject({ n: 1 });
  });

  it.each([
    ['the data change', () => (version += 1)],
    ['time changes it', () => (now += 1_000)],
    ['the clock is set back', () => (now -= 1)],
    ['the database has another history', () => (history = 'second')],
    ['the version is unknown', () => (inContact = false)],
  ])('is made again when %s', async (_, change) => {
    const read = share();
    const first = read();
    await finish(1);
    await first;
    change();
    const second = read();
    await finish(2);
    expect(await second).toMatchObject({ n: 2 });
  });

  it('that began before a change is not given to who asks after it, and no two are made at a time', async () => {
    const read = share();
    const before = read();
    await settle();
    version += 1;
    const after = [read(), read()];
    await settle();
    expect(readings).toHaveLength(1);
    await finish(1);
    await finish(2);
    expect(await before).toMatchObject({ n: 1 });
    expect(await Promise.all(after)).toMatchObject([{ n: 2 }, { n: 2 }]);
    expect(readings).toHaveLength(2);
  });

  it('that fails is repeated for the next who ask', async () => {
    const read = share();
    const failed = read();
    failed.catch(() => undefined);
    await settle();
    const waiting = read();
    readings[0]?.fail();
    await expect(failed).rejects.toThrow('away');
    await finish(2);
    expect(await waiting).toMatchObject({ n: 2 });
  });
});
