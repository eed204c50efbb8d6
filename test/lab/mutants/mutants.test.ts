/** The table of mutants fits the sources, so that `npm run mutants` can try them. */
import { expect, it } from 'vitest';
import { GROUPS, misfits } from './mutants.ts';

it('every mutant changes what stands exactly once in its file', () => {
  expect(GROUPS.length).toBeGreaterThan(20);
  expect(misfits(GROUPS)).toEqual([]);
});

it('names what is gone', () => {
  const mutants = [
    { file: 'sql/gone.sql', replace: 'a', by: 'b' },
    { file: 'package.json', replace: 'not in it', by: '' },
    { file: 'package.json', replace: '"name"', by: '' },
  ];
  expect(
    misfits([{ tests: ['test/gone.test.ts', 'test/whole/project/rules.test.ts'], mutants }]),
  ).toEqual(['no test/gone.test.ts', 'no sql/gone.sql', 'package.json has 0 times: not in it']);
});
