/**
 * Rules lay down the meaning of each number, and tests cite them: `(A3, A10)`, `C2: …`, `rules P1
 * to P3`. Each rule is cited by at least one test, and no test cites a rule that there is not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { whereComplete } from '../../support/complete.ts';

const TESTS = new URL('../../', import.meta.url).pathname;

/** How many rules each chapter has. */
const CHAPTERS: Record<string, number> = {
  A: 11, // averages
  C: 9, // current values
  H: 3, // history windows
  P: 4, // readings and periods
  Q: 4, // AQI
  S: 11, // sensors and ingestion
  W: 4, // guidelines of the WHO
  X: 2, // other indices
  Z: 5, // time
};
const RULES = Object.entries(CHAPTERS).flatMap(([chapter, count]) =>
  Array.from({ length: count }, (_, index) => `${chapter}${index + 1}`),
);
/** Rules without a test, each with the reason. */
const NOT_YET: Record<string, string> = {};

const ID = `[${Object.keys(CHAPTERS).join('')}]\\d+`;
const LIST = `${ID}(?:(?:, | and | to )${ID})*`;
const CITATION = new RegExp(
  `\\((${LIST})[);:]|(?:['\`]|// |\\* )(${LIST}): |\\b[Rr]ules? (${LIST})\\b`,
  'g',
);

/** `W1 to W4` are four. */
function rulesIn(list: string): string[] {
  const words = list.split(/, | /);
  return words.flatMap((word, index) => {
    if (word === 'and' || word === 'to') return [];
    if (words[index - 1] !== 'to') return [word];
    const [first, last] = [words[index - 2], word].map((id) => Number(id?.slice(1)));
    return Array.from(
      { length: Number(last) - Number(first) },
      (_, n) => `${word[0]}${Number(first) + 1 + n}`,
    );
  });
}

/** Rules of benchmarks have names of their own. */
const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
  (path) =>
    path.endsWith('.ts') &&
    !/^lab\/(bench|mutants)\/|^whole\/project\/rules\.test|node_modules/.test(path),
);
const cited = files.flatMap((file) =>
  [...readFileSync(join(TESTS, file), 'utf8').matchAll(CITATION)].flatMap((found) =>
    rulesIn(found.slice(1).find((list) => list !== undefined) ?? '').map((rule) => ({
      file,
      rule,
    })),
  ),
);

it('each rule is cited by a test', whereComplete, () => {
  const known = new Set(cited.map(({ rule }) => rule));
  expect(RULES.filter((rule) => !known.has(rule)).sort()).toEqual(Object.keys(NOT_YET).sort());
});

it('no test cites a rule that does not exist', () => {
  expect(cited.filter(({ rule }) => !RULES.includes(rule))).toEqual([]);
});
