/** Which of several hosts is read from, and until when each is known to be complete. */
import { describe, expect, it } from 'vitest';
import { chooseHost, type Host, type HostState, makeHosts, noteAnswer, whyNot } from '../../src/database/hosts.ts';

const host = (values: Partial<HostState> = {}): HostState => ({
  ...{ identity: 'x-1-5-6', timeline: 1, version: 7, isReplica: true, isReplaying: false, lagMs: 0 },
  ...values,
});
const SERVED = { identity: 'x-1-5-6', timeline: 1, version: 7 };
const promoted = { identity: 'x-2-5-6', timeline: 2 };
const late = (seconds: number) => ({ lagMs: seconds * 1_000 });

describe('the choice', () => {
  const CASES: [what: string, states: (HostState | undefined)[], served: typeof SERVED | undefined, chosen: unknown][] =
    [
      ['the present one, though another knows more', [host(), host({ version: 9 })], SERVED, 0],
      ['the present one, as late as it may be', [host(late(30)), host()], SERVED, 0],
      ['another, when the present one is later', [host(late(31)), host()], SERVED, 1],
      ['the present one, when no other is much fresher', [host(late(60)), host(late(31))], SERVED, 0],
      ['one that is much fresher, though it is late', [host(late(90)), host(late(59))], SERVED, 1],
      ['one that is not late', [host(late(31)), host({ ...late(90), version: 8 }), host()], SERVED, 2],
      ['the one that knows most', [undefined, host(), host({ ...late(1), version: 8 })], SERVED, 2],
      ['the freshest of those that know as much', [undefined, host(late(2)), host(late(1))], SERVED, 2],
      ['that which answers', [undefined, host()], SERVED, 1],
      ['none, where none answers', [undefined, undefined], SERVED, undefined],
      ['none that knows less than was served', [undefined, host({ version: 6 })], SERVED, undefined],
      ['any, before anything was served', [undefined, host({ version: 6 })], undefined, 1],
      ['the promoted one, whatever it counts', [host(), host({ ...promoted, version: 3 })], SERVED, 1],
      ['none of an old timeline, once another was served', [undefined, host()], { ...SERVED, ...promoted }, undefined],
      ['a primary that was set back', [undefined, host({ isReplica: false, version: 6 })], SERVED, 1],
      ['the only one, whatever its timeline', [host()], { ...SERVED, ...promoted }, 0],
      ['not even the only one, if it is a replica of less', [host({ version: 6 })], SERVED, undefined],
    ];
  it.each(CASES)('is %s', (_, states, served, chosen) => {
    expect(chooseHost(states, 0, served)).toBe(chosen);
  });

  it('can be told in words', () => {
    expect(whyNot(host(), 2, SERVED)).toBe('it is of timeline 1, and another was promoted to 2');
    expect(whyNot(host({ version: 6 }), 1, SERVED)).toBe('it has data version 6, and 7 was served');
    expect(whyNot(host(), 1, SERVED)).toBeUndefined();
  });
});

describe('a host', () => {
  const START = Date.parse('2026-11-20T12:00:00Z');
  const at = (seconds: number) => START + seconds * 1_000;
  const iso = (seconds: number) => new Date(at(seconds)).toISOString();
  const row = { history: 'x-1-5-6', data_version: 7, is_replica: true, is_receiving: true, replayed_at: iso(0) };
  const STREAMING = { ...row, received: 100, replayed: 100 };
  /** Each answer by when it was asked for, in seconds; the lag after each. */
  const lags = (answers: [seconds: number, answer: typeof STREAMING][]) => {
    const [one] = makeHosts(['postgres://one/air']).all as [Host];
    return answers.map(([seconds, answer]) => {
      noteAnswer(one, answer, at(seconds), one.newest);
      return (one.state?.lagMs ?? Number.NaN) / 1_000;
    });
  };

  it('is complete while it streams and has replayed everything, however long nothing has been written', () => {
    expect(lags([[3_600, STREAMING]])).toEqual([0]);
  });

  it('is a primary, and complete', () => {
    const primary = { ...row, is_replica: false, is_receiving: false, received: 0, replayed: 0 };
    expect(lags([[3_600, primary]])).toEqual([0]);
  });

  it('is late from when it last was complete, not from the last transaction', () => {
    const paused = { ...STREAMING, received: 200 };
    expect(
      lags([
        [600, STREAMING],
        [601, paused],
        [640, paused],
        [641, { ...paused, replayed: 200 }],
      ]),
    ).toEqual([0, 1, 40, 0]);
  });

  it('is not late while it replays what it received a moment ago, though it never has everything', () => {
    const busy = (n: number) => ({ ...STREAMING, received: 100 * n, replayed: 100 * n - 100 });
    expect(lags([1, 2, 3, 4].map((n) => [600 + n, busy(n)]))).toEqual([601, 1, 1, 1]);
  });

  it('is late from when it lost its primary, or from the last transaction if that is not known', () => {
    const alone = { ...STREAMING, is_receiving: false };
    expect(lags([[600, alone]])).toEqual([600]);
    expect(
      lags([
        [600, STREAMING],
        [630, alone],
      ]),
    ).toEqual([0, 30]);
    expect(lags([[600, { ...alone, replayed_at: null as unknown as string }]])).toEqual([0]);
  });

  it('replays what it has received, with or without a primary, unless it is stuck without one', () => {
    const [one] = makeHosts(['postgres://one/air']).all as [Host];
    const isReplaying = (answer: typeof STREAMING) => {
      noteAnswer(one, answer, START, one.newest);
      return one.state?.isReplaying;
    };
    const paused = { ...STREAMING, received: 300 };
    const alone = { ...paused, is_receiving: false, replayed: 200 };
    expect([STREAMING, paused, paused].map(isReplaying)).toEqual([false, true, true]);
    expect([alone, alone, { ...alone, replayed: 299 }].map(isReplaying)).toEqual([true, false, true]);
    expect([{ ...alone, replayed: 300 }, paused].map(isReplaying)).toEqual([false, true]);
  });

  it('is never late by less than nothing, whatever the clocks say', () => {
    expect(lags([[-5, { ...STREAMING, received: 200 }]])).toEqual([0]);
  });

  it('went back if it says less than when it was asked, not than what was read from it since', () => {
    const [one] = makeHosts(['postgres://me:word@one:5433/air']).all as [Host];
    expect(one.name).toBe('one:5433');
    noteAnswer(one, STREAMING, START, undefined);
    const before = one.newest;
    one.newest = { ...SERVED, version: 8 };
    noteAnswer(one, STREAMING, START, before);
    expect([one.wentBack, one.state?.version]).toEqual([undefined, 8]);
    noteAnswer(one, STREAMING, START, one.newest);
    expect([one.wentBack, one.state?.version]).toEqual([true, 7]);
  });
});
