/** Waiting for work as long as the database answers beside it, and not longer. */
import { expect, it } from 'vitest';
import { whileAnswered } from '../../src/database/waiting.ts';

const RHYTHM = { everyMs: 5, answerMs: 5 };
const never = () => new Promise<never>(() => undefined);

/** Resolves with its result once the database was asked three times. */
function workOfThreeBeats() {
  let done: (result: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => {
    done = resolve;
  });
  let beats = 0;
  const beat = () => {
    beats += 1;
    if (beats === 3) done('done');
  };
  return { work, beat };
}

it('waits while each question is answered', async () => {
  const { work, beat } = workOfThreeBeats();
  expect(await whileAnswered(work, async () => beat(), RHYTHM)).toBe('done');
});

it('waits for a server that answers with an error: it is there', async () => {
  const { work, beat } = workOfThreeBeats();
  const refusing = async () => {
    beat();
    throw Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
  };
  expect(await whileAnswered(work, refusing, RHYTHM)).toBe('done');
});

it('gives up where nothing answers, or nobody is there', async () => {
  await expect(whileAnswered(never(), never, RHYTHM)).rejects.toMatchObject({ code: 'AWAY' });
  const refused = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  await expect(whileAnswered(never(), refused, RHYTHM)).rejects.toMatchObject({ code: 'AWAY' });
});

it('asks nothing of work that is done in time, and passes its failure on', async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
  };
  expect(await whileAnswered(Promise.resolve(1), ask, RHYTHM)).toBe(1);
  await expect(whileAnswered(Promise.reject(new Error('broken')), ask, RHYTHM)).rejects.toThrow('broken');
  expect(asked).toBe(0);
});
