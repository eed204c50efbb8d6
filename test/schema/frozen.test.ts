/**
 * Migrations that were released are applied somewhere, so they never change: a mistake in one is
 * mended by the next.
 */
import { expect, it } from 'vitest';
import { readMigrations } from '../../src/schema/migrations.ts';
import { DEFINITIONS } from '../../src/schema/template.ts';

/** The migrations since 1.0.0; a release adds its own. */
const RELEASED = { plain: ['cf4c6052774a'], timescale: ['3c46d7906719'] };

it.each(['plain', 'timescale'] as const)(
  'the released migrations have not changed (%s)',
  (engine) => {
    const released = RELEASED[engine];
    const now = readMigrations(DEFINITIONS, engine).map(({ checksum }) => checksum.slice(0, 12));
    expect(now.slice(0, released.length), 'put the change into a new migration').toEqual(released);
  },
);
