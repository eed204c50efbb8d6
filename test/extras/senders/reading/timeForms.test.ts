/** The regular expressions for times, which match text from senders: none backtracks. */
import { isSafe } from 'redos-detector';
import { expect, it } from 'vitest';
import { CLOCK, TAIL, TIME_FORMS } from '../../../../src/extras/senders/reading/times.ts';
import { unnamed } from '../../../support/expressions.ts';
import { needs } from '../../../support/tools.ts';

// the checker does not finish a whole form: its parts follow each other, and none repeats another
it.each([
  ...TIME_FORMS.map(([name, { source }]) => [name, source] as const),
  ['the time of the day', `^${CLOCK}$`] as const,
  ['the end of a time', `^${TAIL}$`] as const,
])('the regular expression for times is safe: %s', needs('all'), (_, source) => {
  const whole = source === `^${CLOCK}$` || source === `^${TAIL}$`;
  const checked = whole ? source : source.replace(CLOCK, 'C').replace(TAIL, 'T');
  expect(isSafe(unnamed(new RegExp(checked))).safe).toBe(true);
});
