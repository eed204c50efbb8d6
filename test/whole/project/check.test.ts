/** Lint, format and types of everything, beside the other tests rather than before them. */
import { expect, it } from 'vitest';
import { runProgram } from '../../support/program.ts';

it('npm run check finds nothing', async () => {
  const { HOME = '' } = process.env;
  const check = runProgram(['npm', 'run', '-s', 'check'], { environment: { HOME } });
  const { code, stdout, stderr } = await check.finished;
  expect(code, stdout + stderr).toBe(0);
});
