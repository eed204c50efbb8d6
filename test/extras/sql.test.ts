/**
 * The SQL of each extra, rendered, matches the snapshot beside its tests, which reviewers read.
 * `npm run generate` accepts a change.
 */
import { expect, it } from 'vitest';
import { DEFINITIONS } from '../../src/schema/template.ts';
import { renderedSql } from '../schema/rendered.ts';
import { CORE } from '../support/definitions.ts';

/** The lines that only the second text has, which stand together. */
function addition(without: readonly string[], within: readonly string[]): string {
  const start = within.findIndex((line, index) => line !== without[index]);
  return `${within.slice(start, start + within.length - without.length).join('\n')}\n`;
}

it('the SQL of each extra matches the snapshot', async () => {
  for (const extra of DEFINITIONS.extras)
    await expect(
      addition(renderedSql(CORE, 'plain'), renderedSql({ ...CORE, extras: [extra] }, 'plain')),
    ).toMatchFileSnapshot(`${extra}/rendered.sql`);
});
