/** The copy that src/extras/archive/README.md makes and keeps, run as it is written. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NOW } from '../../support/clock.ts';
import { onOneEngine } from '../../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../../support/installation.ts';
import { type Launched, launchForSuite } from '../../support/launch.ts';
import { runProgram } from '../../support/program.ts';
import { needs } from '../../support/tools.ts';
import { indexOf } from './archiveValues.ts';
import { filesIn, makerOf } from './support.ts';

const README = readFileSync(
  new URL('../../../src/extras/archive/README.md', import.meta.url),
  'utf8',
);
const [, RECIPE = ''] = /## A copy of everything\n.*?```sh\n(.*?)```/s.exec(README) ?? [];
const HOUR = 3_600_000;
const EARLIER = new Date(NOW.getTime() - 20 * HOUR);

onOneEngine('a copy of everything', (engine) => {
  let here: Installation;
  let service: Launched;
  let folder: string;
  let work: string;
  const archive = (now: Date) => makerOf(here.database)(folder, now, { license: 'CC0' });
  beforeAll(async () => {
    [folder, work] = ['archive', 'copy'].map((name) =>
      mkdtempSync(join(tmpdir(), `airseries-${name}-`)),
    ) as [string, string];
    here = await install(engine, citiesOfOneStation(['town', 'port']));
    const hours = [...Array(60 * 24).keys()].map((n) => EARLIER.getTime() - (n + 1) * HOUR);
    await here.accept(
      hours.flatMap((at) => [1, 2].map((sensor) => reading(sensor, at, { pm25: 10 }))),
    );
    await here.refresh(EARLIER);
    await archive(EARLIER);
    service = await launchForSuite(here, { role: 'api', ...{ archiveDirectory: folder } });
  });
  afterAll(async () => {
    await service?.stop();
    await here?.close();
    for (const made of [folder, work]) rmSync(made, { recursive: true });
  });

  async function copy(): Promise<{ code: number | null; said: string }> {
    const text = RECIPE.replace('https://air.example', `http://127.0.0.1:${service.port.public}`);
    const run = runProgram(['/bin/sh', '-c', text], { folder: work, environment: {} });
    const { code, stdout, stderr } = await run.finished;
    return { code, said: stdout + stderr };
  }
  /** The files of the copy, and when each was fetched. */
  const own = () => join(work, 'air');
  const times = () =>
    Object.fromEntries(
      indexOf(folder).resources.map(({ path }) => [path, statSync(join(own(), path)).mtimeMs]),
    );
  const isWhole = () => {
    const { 'newer/changes.json': _, ...files } = filesIn(own());
    const copied = Object.entries(files).filter(([name]) => !name.startsWith('newer/'));
    expect(Object.fromEntries(copied)).toEqual(filesIn(folder));
  };

  it(
    'it is made, and kept: files that changed, hours that changed since, and when to ask from',
    needs('jq'),
    async () => {
      const { up_to } = indexOf(folder);
      const since = `${EARLIER.toISOString().slice(0, 19)}Z`;
      const said = `Hours up to ${up_to} are here. Ask next for changes that showed from ${since} on.\n`;
      expect(await copy()).toEqual({ code: 0, said });
      isWhole();
      expect(readdirSync(join(own(), 'newer'))).toEqual(['changes.json']);

      // readings of one station that are a month late
      const late = EARLIER.getTime() - 30 * 24 * HOUR;
      await here.accept([
        reading(1, late + 1_000, { pm25: 99 }),
        reading(1, late + HOUR, { pm25: 77 }),
      ]);
      await here.refresh(NOW);
      writeFileSync(join(own(), 'regions.csv'), 'damaged');
      const before = times();
      expect(await copy()).toEqual({ code: 0, said });
      isWhole();
      const changed = () =>
        Object.entries(times()).flatMap(([path, at]) => (before[path] === at ? [] : [path]));
      expect(changed()).toEqual(['regions.csv']);
      const [csv = '', ...others] = readdirSync(join(own(), 'newer')).filter(
        (name) => name !== 'changes.json',
      );
      expect([csv, others]).toEqual([
        expect.stringMatching(/^1_hours_2026-10-\d\d_2026-10-\d\d\.csv$/),
        [],
      ]);
      expect(readFileSync(join(own(), 'newer', csv), 'utf8')).toMatch(/,77(\.0)?,/);

      const next = new Date(NOW.getTime() + 60_000);
      await here.refresh(next);
      await archive(next);
      expect((await copy()).code).toBe(0);
      isWhole();
      expect(changed()).toContain('hours/2026-10.parquet');
      expect(changed()).not.toContain('hours/2026-09.parquet');
      expect(readdirSync(join(own(), 'newer'))).toEqual(['changes.json']);
    },
  );

  it(
    'a file that the index no longer has goes, and a path out of the folder is refused',
    needs('jq'),
    async () => {
      await copy();
      const path = join(own(), 'datapackage.json');
      const index = JSON.parse(readFileSync(path, 'utf8'));
      mkdirSync(join(own(), 'days'), { recursive: true });
      writeFileSync(join(own(), 'days/2020.parquet'), 'old');
      index.resources.push({ path: 'days/2020.parquet' });
      writeFileSync(path, JSON.stringify(index));
      expect((await copy()).code).toBe(0);
      expect(existsSync(join(own(), 'days/2020.parquet'))).toBe(false);
      isWhole();
      const served = join(folder, 'datapackage.json');
      const text = readFileSync(served, 'utf8');
      writeFileSync(served, text.replace('hours/2026-10', '../2026-10'));
      expect((await copy()).code).toBe(1);
      rmSync(served);
      writeFileSync(served, text);
    },
  );
});
