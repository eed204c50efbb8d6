/**
 * Hours that retention kept and a stray refresh has deleted are restored from a dump, by the
 * commands of grafana/runbooks.md, which are run as they are written.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { deleteExpired } from '../../src/aggregate/retention.ts';
import { makeLog } from '../../src/base/log.ts';
import { sixHourly, storedBuckets } from '../aggregate/sixHourly.ts';
import { addressVariables } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs, skipUnless } from '../support/tools.ts';

const now = new Date('2026-11-20T09:00:00Z');
const clock = () => now;
const log = makeLog('silent');
const programs = ['pg_dump', 'pg_restore', 'psql', 'createdb'];
const tools = skipUnless(
  programs.every((program) => spawnSync(program, ['--version']).status === 0) &&
    (process.env.TEST_TIMESCALE_URL ?? '') === '',
  'pg_dump and pg_restore are not installed, or may be older than the named server',
);

/** The commands from the second database to the end of the copy. */
function commands(): string {
  const text = readFileSync(new URL('../../grafana/runbooks.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split(/^## When kept hours were lost$/m);
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  return block
    .split('\n')
    .filter((line) => !/^node |^export /.test(line))
    .join('\n');
}

describe('kept hours that were lost', { ...tools, ...needs('timescale') }, () => {
  it.each([
    ['after their readings had been deleted', true],
    ['before their readings were deleted', false],
  ])('lost kept hours are restored from a dump made %s', async (_, isLate) => {
    const { database, owner } = await sixHourly('timescale', '2026-06-10', now);
    const environment = { ...process.env, ...addressVariables(database.target) };
    const folder = temporaryFolder('kept-hours');
    const name = database.target.database;
    const before = `${name}_before`;
    const run = (command: string) =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', command], {
        cwd: folder,
        encoding: 'utf8',
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const dump = () => run(`pg_dump -Fc -f ${join(folder, 'airseries.dump')}`);
    const audited = (repair: boolean) =>
      audit(database.target, { clock, timeZone: 'Asia/Yerevan', repair });
    try {
      if (!isLate) dump();
      await deleteExpired(database.target, clock, '60 days', { log, apply: true });
      if (isLate) dump();
      await owner`call rollup.maintain(${now})`; // compressed hours are deleted and restored, too
      const stored = await storedBuckets(owner);
      await owner`call refresh_continuous_aggregate('rollup.sensor_hourly', null, null)`;
      const lost = (await audited(false)).found;
      expect(lost.map(({ columns }) => columns)).toEqual([['lost'], ['lost'], ['lost']]);
      const [{ missing } = { missing: 0 }] = await owner`select * from api.kept_hours`;
      expect(missing).toBeGreaterThan(300);

      const shown = run(
        commands()
          .replaceAll(/\bbefore\b(?=$|\s)/gm, before)
          .replaceAll('-d airseries ', `-d ${name} `)
          .replaceAll(/-d airseries$/gm, `-d ${name}`),
      );
      expect(shown).toMatch(new RegExp(`restore_kept_hours *\\n-+\\n +${missing}\\n`));
      expect(await owner`select * from api.kept_hours`).toEqual([{ recorded: 664, missing: 0 }]);
      expect((await audited(true)).found).toEqual([]);
      expect(await storedBuckets(owner)).toEqual(stored);
      expect(await owner`select to_regclass('public.kept_hours') as copy`).toEqual([
        { copy: null },
      ]);
    } finally {
      run(`dropdb --if-exists ${before}`);
      await database.drop();
    }
  });
});
