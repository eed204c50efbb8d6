/** Migrations that were released are applied somewhere, so none of them ever changes: what is wrong in one is mended by the next. */
import { expect, it } from 'vitest';
import { readMigrations } from '../../src/schema/migrations.ts';
import { DEFINITIONS } from '../../src/schema/template.ts';

/** Of the first release on; add to these what a release adds. */
const RELEASED = {
  plain: `63e0be879360 c2ac6b24989a e332ef87ac22 382787ca6bc0 de6f6d5f4c47 5cc123a13da7 e75b79e4afb7 c289dd176c35 4f9b4bb425e4 4598c282fa19
    792994c9d630 d37b78c1eb1d 926a16d2d3d9`,
  timescale: `63e0be879360 c2ac6b24989a 1895188796d1 382787ca6bc0 de6f6d5f4c47 5cc123a13da7 e75b79e4afb7 c289dd176c35 4f9b4bb425e4 4598c282fa19
    94505214ea70 d37b78c1eb1d 926a16d2d3d9`,
};

it.each(['plain', 'timescale'] as const)('the released migrations are as they were released (%s)', (engine) => {
  const released = RELEASED[engine].split(/\s+/);
  const now = readMigrations(DEFINITIONS, engine).map(({ checksum }) => checksum.slice(0, 12));
  expect(now.slice(0, released.length), 'put the change into a new migration').toEqual(released);
});
