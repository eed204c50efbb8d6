/** The plan of the house, held: imports run one way, and only the rooms that must know the engines do. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = new URL('../src/', import.meta.url).pathname;

/** Each floor may import itself and what stands before it. */
const FLOORS = [
  ['contract', 'config.ts', 'log.ts', 'clock.ts', 'progress.ts', 'inputError.ts'],
  ['database'],
  ['rollups', 'http'],
  ['ingest'],
  ['network'],
  ['metrics'],
  ['api', 'push', 'pull', 'export', 'demo'],
  ['worker'],
  ['commands'],
  ['cli.ts', 'main.ts'],
];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const roomOf = (path: string) => path.split('/')[0] ?? '';
const floorOf = (path: string) => FLOORS.findIndex((rooms) => rooms.includes(roomOf(path)));
const importsOf = (path: string) =>
  [...readFileSync(join(SRC, path), 'utf8').matchAll(/(?:from|import)\s+'(\.[^']+)'/g)].map((found) =>
    relative(SRC, join(SRC, path, '..', found[1] ?? '')),
  );

describe('the house', () => {
  it('has no room that is not on the plan', () => {
    expect(files.filter((path) => floorOf(path) === -1)).toEqual([]);
  });

  it('lets imports run one way', () => {
    const wrong = files.flatMap((path) =>
      importsOf(path)
        .filter(
          (other) =>
            floorOf(other) > floorOf(path) ||
            (floorOf(other) === floorOf(path) && roomOf(other) !== roomOf(path) && floorOf(path) !== 0),
        )
        .map((other) => `${path} imports ${other}`),
    );
    // present shapes what queries ask; the demo is a network that is imported; jobs and http are both roofs
    expect(wrong).toEqual([]);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(50);
  });

  it('names an engine only where data are stored', () => {
    const knowing = files.filter((path) => /timescale|plain postgres/i.test(readFileSync(join(SRC, path), 'utf8')));
    expect(knowing.filter((path) => roomOf(path) !== 'database')).toEqual([]);
    expect(knowing.length).toBeGreaterThan(3);
    const api = readdirSync(join(SRC, '../sql/api')).filter((name) =>
      /timescale|hypertable|plain/i.test(readFileSync(join(SRC, '../sql/api', name), 'utf8')),
    );
    expect(api).toEqual([]);
  });

  it('asks the time and the environment in one place each (Z4)', () => {
    const asking = (pattern: RegExp) => files.filter((path) => pattern.test(readFileSync(join(SRC, path), 'utf8')));
    // and how old an abandoned file is, is a question to the machine's clock
    expect(asking(/new Date\(\)|Date\.now\(\)/)).toEqual(['clock.ts', 'database/embedded/cluster.ts']);
    const sql = readdirSync(join(SRC, '../sql'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.sql'),
    );
    const clocks = /\bnow\(\)|clock_timestamp|current_timestamp|statement_timestamp|current_date/i;
    expect(sql.filter((path) => clocks.test(readFileSync(join(SRC, '../sql', path), 'utf8')))).toEqual([]);
    expect(asking(/process\.env/).sort()).toEqual(['cli.ts', 'main.ts']);
  });
});
