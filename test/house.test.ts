/** The architecture: imports between layers run one way, and only the folder that stores data depends on the engines. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GROUPS, misfits } from './mutants/mutants.ts';

const SRC = new URL('../src/', import.meta.url).pathname;

/** A folder may import itself and folders of the layers before it. */
const LAYERS = [
  [
    'contract',
    'config.ts',
    'log.ts',
    'clock.ts',
    'progress.ts',
    'inputError.ts',
    'unavailable.ts',
    'folder.ts',
    'shell.ts',
  ],
  ['generated'],
  ['database', 'http'],
  ['embedded'],
  ['schema'],
  ['rollups', 'documents'],
  ['ingest'],
  ['network'],
  ['metrics'],
  ['api', 'push', 'pull', 'export', 'demo'],
  ['site', 'worker'],
  ['service.ts'],
  ['commands'],
  ['cli.ts', 'runService.ts'],
];

/**
 * Lines of each room, and how many it may have. A room that grows beyond its number is a decision: the commit that raises the number says why.
 * Generated files and snapshots don't count.
 */
const ROOMS: Readonly<Record<string, number>> = {
  'src/*': 1040,
  'src/api': 875,
  'src/commands': 1190,
  'src/contract': 1300,
  'src/database': 990,
  'src/demo': 700,
  'src/documents': 520,
  'src/embedded': 670,
  'src/export': 680,
  'src/http': 530,
  'src/ingest': 3870,
  'src/metrics': 595,
  'src/network': 1340,
  'src/pull': 405,
  'src/push': 810,
  'src/rollups': 330,
  'src/schema': 1245,
  'src/site': 3198,
  'src/worker': 345,
  'sql/api': 1060,
  'sql/engines': 130,
  'sql/logic': 1830,
  'sql/migrations': 445,
  'sql/parts': 30,
  'sql/rollups': 165,
  'grafana/source': 2750,
  test: 32550,
  'README.md': 180,
};

/** The lines of a room: of a folder with its subfolders, or of the files that lie directly in one that ends with a slash and a star. */
function linesOf(room: string): number {
  const isShallow = room.endsWith('/*');
  const folder = join(SRC, '..', room.replace('/*', ''));
  if (!isShallow && statSync(folder).isFile()) return readFileSync(folder, 'utf8').split('\n').length - 1;
  return readdirSync(folder, { recursive: !isShallow, encoding: 'utf8' })
    .filter(
      (path) => /\.(ts|js|sql|css)$/.test(path) && !/node_modules|generated|snapshots|bench\//.test(join(room, path)),
    )
    .reduce((sum, path) => sum + readFileSync(join(folder, path), 'utf8').split('\n').length - 1, 0);
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const folderOf = (path: string) => path.split('/')[0] ?? '';
const layerOf = (path: string) => LAYERS.findIndex((folders) => folders.includes(folderOf(path)));
const importsOf = (path: string) =>
  [...readFileSync(join(SRC, path), 'utf8').matchAll(/(?:from|import)\s+'(\.[^']+)'/g)].map((found) =>
    relative(SRC, join(SRC, path, '..', found[1] ?? '')),
  );

describe('the source', () => {
  it('has what the mutants change', () => {
    expect(misfits(GROUPS)).toEqual([]);
  });

  it('has only the folders of the layers', () => {
    expect(files.filter((path) => layerOf(path) === -1)).toEqual([]);
  });

  it('has no room with more lines than the number beside it', () => {
    const found = Object.keys(ROOMS).map((room) => ({ room, lines: linesOf(room), most: ROOMS[room] ?? 0 }));
    process.stderr.write(`${found.map(({ room, lines, most }) => `${room} ${lines} of ${most}`).join('\n')}\n`);
    expect(
      found.filter(({ lines, most }) => lines > most),
      'too long: see ROOMS',
    ).toEqual([]);
    const rooms = readdirSync(SRC, { withFileTypes: true }).flatMap((each) =>
      each.isDirectory() && each.name !== 'generated' ? [`src/${each.name}`] : [],
    );
    expect(rooms.filter((room) => !(room in ROOMS))).toEqual([]);
  });

  it('has imports in one direction only', () => {
    const wrong = files.flatMap((path) =>
      importsOf(path)
        .filter(
          (other) =>
            layerOf(other) > layerOf(path) ||
            (layerOf(other) === layerOf(path) && folderOf(other) !== folderOf(path) && layerOf(path) !== 0),
        )
        .map((other) => `${path} imports ${other}`),
    );
    expect(wrong).toEqual([]);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(50);
  });

  it('exports nothing that no other file uses', () => {
    const others = ['test', 'grafana'].flatMap((folder) =>
      readdirSync(join(SRC, '..', folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
        .map((path) => join(SRC, '..', folder, path)),
    );
    const words = new Map(
      [...files.map((path) => join(SRC, path)), ...others].map((path) => [
        path,
        new Set(readFileSync(path, 'utf8').split(/\W+/)),
      ]),
    );
    const unused = files.flatMap((path) =>
      [...readFileSync(join(SRC, path), 'utf8').matchAll(/^export (?:async )?(?:const|function\*?|type|class) (\w+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => ![...words].some(([other, used]) => other !== join(SRC, path) && used.has(name)))
        .map((name) => `${path}: ${name}`),
    );
    expect(unused).toEqual([]);
  });

  it('reads formats without a database, and without what is made of them', () => {
    const formats = files.filter((path) => path.startsWith('ingest/formats/'));
    const others = formats.flatMap(importsOf).filter((path) => !path.startsWith('ingest/formats/'));
    expect(others.filter((path) => layerOf(path) !== 0)).toEqual([]);
    expect(formats.length).toBeGreaterThan(5);
  });

  it('names an engine only where data are stored', () => {
    const engineAware = files.filter((path) => /timescale|plain postgres/i.test(readFileSync(join(SRC, path), 'utf8')));
    expect(engineAware.filter((path) => !['database', 'embedded', 'schema'].includes(folderOf(path)))).toEqual([]);
    expect(engineAware.length).toBeGreaterThan(3);
    const api = readdirSync(join(SRC, '../sql/api')).filter((name) =>
      /timescale|hypertable|plain/i.test(readFileSync(join(SRC, '../sql/api', name), 'utf8')),
    );
    expect(api).toEqual([]);
  });

  it('reads the time and the environment in one place each (Z4)', () => {
    const matching = (pattern: RegExp) => files.filter((path) => pattern.test(readFileSync(join(SRC, path), 'utf8')));
    expect(matching(/new Date\(\)|Date\.now\(\)/)).toEqual(['clock.ts']);
    const sql = readdirSync(join(SRC, '../sql'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.sql'),
    );
    const clocks = /\bnow\(\)|clock_timestamp|current_timestamp|statement_timestamp|current_date/i;
    expect(sql.filter((path) => clocks.test(readFileSync(join(SRC, '../sql', path), 'utf8')))).toEqual([]);
    expect(matching(/process\.env/).sort()).toEqual(['cli.ts', 'runService.ts']);
  });
});
