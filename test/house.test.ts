/** The architecture: imports between layers run one way, and only the folder that stores data depends on the engines. */
import { readdirSync, readFileSync } from 'node:fs';
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
  ['cli.ts', 'main.ts'],
];

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
    expect(matching(/process\.env/).sort()).toEqual(['cli.ts', 'main.ts']);
  });
});
