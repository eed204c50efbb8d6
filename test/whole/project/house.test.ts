/**
 * The architecture: imports between rooms run one way, and only the folder that stores data depends
 * on the engines.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = new URL('../../../src/', import.meta.url).pathname;

/** A room may import itself and the rooms before it. */
const ROOMS = [
  'base',
  'contract',
  'database',
  'schema',
  'http',
  'ingest',
  'network',
  'aggregate',
  'serve',
  'metrics',
  'commands',
  'extras',
];
const COMPOSITION = ['cli.ts', 'service.ts', 'config.ts', 'extras.ts'];
/** The file that says what an extra is. */
const KIND = 'extras/extra.ts';

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);
const roomOf = (path: string) => path.split('/')[0] ?? '';
const orderOf = (path: string) => ROOMS.indexOf(roomOf(path));
/** The name of the extra that a file belongs to. */
const extraOf = (path: string) =>
  roomOf(path) === 'extras' && path !== KIND ? path.split('/')[1] : undefined;
const isComposition = (path: string) => !path.includes('/');
const importsOf = (path: string) =>
  [...readFileSync(join(SRC, path), 'utf8').matchAll(/(?:from|import)[\s(]+'(\.[^']+)'/g)].map(
    (found) => relative(SRC, join(SRC, path, '..', found[1] ?? '')),
  );

describe('the source', () => {
  it('the source has only these rooms, and the composition', () => {
    const unknown = files.filter((path) =>
      isComposition(path) ? !COMPOSITION.includes(path) : orderOf(path) === -1,
    );
    expect(unknown).toEqual([]);
  });

  it('imports in the source go in one direction only, in the order of the rooms', () => {
    const wrong = files
      .filter((path) => !isComposition(path))
      .flatMap((path) =>
        importsOf(path)
          .filter((other) => isComposition(other) || orderOf(other) > orderOf(path))
          .map((other) => `${path} imports ${other}`),
      );
    expect(wrong).toEqual([]);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(50);
  });

  it('the source has no circle of imports', () => {
    const finished = new Set<string>();
    const circlesFrom = (path: string, way: readonly string[]): string[] => {
      if (way.includes(path)) return [[...way.slice(way.indexOf(path)), path].join(' → ')];
      if (finished.has(path)) return [];
      const circles = importsOf(path)
        .filter((other) => files.includes(other))
        .flatMap((other) => circlesFrom(other, [...way, path]));
      finished.add(path);
      return circles;
    };
    expect(files.flatMap((path) => circlesFrom(path, []))).toEqual([]);
  });

  it('the source names an extra in the list of extras, and nowhere else', () => {
    const wrong = files.flatMap((path) =>
      importsOf(path)
        .filter((other) => extraOf(other) !== undefined && extraOf(other) !== extraOf(path))
        .map((other) => ({ path, other })),
    );
    const isListed = ({ path, other }: (typeof wrong)[number]) =>
      path === 'extras.ts' && /^extras\/\w+\/extra\.ts$/.test(other);
    expect(wrong.filter((one) => !isListed(one))).toEqual([]);
    expect(wrong.filter(isListed).map(({ other }) => extraOf(other))).toEqual(
      readdirSync(join(SRC, 'extras'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('pages read the API: they import its contract and what an extra is, and nothing else of the core', () => {
    const isTheirs = (path: string) =>
      ['base', 'contract'].includes(roomOf(path)) || extraOf(path) === 'pages' || path === KIND;
    const wrong = files
      .filter((path) => extraOf(path) === 'pages')
      .flatMap((path) => importsOf(path).map((other) => ({ path, other })))
      .filter(({ other }) => !isTheirs(other))
      .map(({ path, other }) => `${path} imports ${other}`);
    expect(wrong).toEqual([]);
  });

  it('our own form of readings is read without a database, and so are the forms of senders', () => {
    const reachedFrom = (path: string, reached = new Set<string>()): Set<string> => {
      if (reached.has(path) || !files.includes(path)) return reached;
      reached.add(path);
      for (const other of importsOf(path)) reachedFrom(other, reached);
      return reached;
    };
    const isPure = (path: string) =>
      ['base', 'contract', 'ingest'].includes(roomOf(path)) || extraOf(path) === 'senders';
    const reading = files.filter(
      (path) =>
        path === 'ingest/canonical.ts' ||
        (extraOf(path) === 'senders' && path !== 'extras/senders/extra.ts'),
    );
    const reached = new Set(reading.flatMap((path) => [...reachedFrom(path)]));
    expect([...reached].filter((path) => !isPure(path))).toEqual([]);
    expect(reached.size).toBeGreaterThan(10);
  });

  it('the source names an engine only where data are stored', () => {
    const engineAware = files.filter((path) =>
      /timescale|plain postgres/i.test(readFileSync(join(SRC, path), 'utf8')),
    );
    const knows = (path: string) =>
      ['database', 'schema'].includes(roomOf(path)) || extraOf(path) === 'embedded';
    expect(engineAware.filter((path) => !knows(path))).toEqual([]);
    expect(engineAware.length).toBeGreaterThan(3);
    const folder = join(SRC, '../sql/api');
    const api = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) =>
        path.endsWith('.sql') &&
        /timescale|hypertable|plain/i.test(readFileSync(join(folder, path), 'utf8')),
    );
    expect(api).toEqual([]);
  });

  it('the source reads the time and the environment in one place each (Z4)', () => {
    const matching = (pattern: RegExp) =>
      files.filter((path) => pattern.test(readFileSync(join(SRC, path), 'utf8')));
    // a page in a browser has the reader's clock, for the age of a reading
    const clock = matching(/new Date\(\)|Date\.now\(\)/);
    expect(clock.filter((path) => path !== 'extras/pages/browser/live.ts')).toEqual([
      'base/clock.ts',
    ]);
    const sql = readdirSync(join(SRC, '../sql'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((path) => path.endsWith('.sql'));
    const clocks = /\bnow\(\)|clock_timestamp|current_timestamp|statement_timestamp|current_date/i;
    expect(
      sql.filter((path) => clocks.test(readFileSync(join(SRC, '../sql', path), 'utf8'))),
    ).toEqual([]);
    expect(matching(/process\.env/).sort()).toEqual(['cli.ts']);
  });

  it('a POST passes 18 files at most, a kept document 6 and another one 12, all of which exist', () => {
    const text = readFileSync(join(SRC, 'README.md'), 'utf8');
    const walks = (text.split('## Four walks')[1]?.split('\n## ')[0] ?? '')
      .split('\n\n')
      .filter((walk) => walk.startsWith('**'))
      .map(filesOfWalk);
    expect(walks.flat().filter((path) => !existsSync(join(SRC, path)))).toEqual([]);
    expect(walks).toHaveLength(4);
    for (const [index, most] of [18, 6, 12].entries()) {
      expect(walks[index]?.length).toBeGreaterThan(most / 2);
      expect(walks[index]?.length).toBeLessThanOrEqual(most);
    }
  });
});

/** A name without a folder is in the folder of the file before it; of `a` or `b`, one is passed. */
function filesOfWalk(walk: string): string[] {
  const [way = ''] = walk.replace(/ or `[^`]+`/g, '').split(/ A file takes the same| Beside both/);
  let folder = '';
  return [...way.matchAll(/`([\w/]+\.(?:ts|sql))`/g)].map(([, name = '']) => {
    if (name.startsWith('sql/')) folder = `../${dirname(name)}`;
    else if (name.includes('/')) folder = dirname(name);
    return join(folder, basename(name));
  });
}
