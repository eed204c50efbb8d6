/**
 * The SQL of each extra, rendered, matches the snapshot beside its tests, which reviewers read.
 * `npm run snapshots` accepts a change.
 */
import { expect, it } from 'vitest';
import { LEVELS } from '../../src/schema/aggregates.ts';
import { repeatableSql } from '../../src/schema/repeatable.ts';
import { DEFINITIONS } from '../../src/schema/template.ts';

const CALENDAR = { timeZone: 'Asia/Yerevan', origin: '1999-12-31 20:00:00+00' };
const COLUMNS = Object.fromEntries(LEVELS.map(({ name }) => [name, []]));

const rendered = (extras: readonly string[]) =>
  repeatableSql({ ...DEFINITIONS, extras }, 'plain', CALENDAR, COLUMNS).split('\n');

/** The lines that the second text has besides, which stand together. */
function addition(without: readonly string[], within: readonly string[]): string {
  const start = within.findIndex((line, index) => line !== without[index]);
  return `${within.slice(start, start + within.length - without.length).join('\n')}\n`;
}

it.each(DEFINITIONS.extras)('the SQL of %s matches the snapshot', async (extra) => {
  await expect(addition(rendered([]), rendered([extra]))).toMatchFileSnapshot(
    `${extra}/rendered.sql`,
  );
});
