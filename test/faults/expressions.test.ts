/** Every regular expression in the sources: none that meets what a sender or a client wrote tries a text in many ways. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSafe } from 'redos-detector';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { ENDPOINTS, pathPattern } from '../../src/contract/endpoints.ts';

const SRC = new URL('../../src/', import.meta.url).pathname;

/** What these read was written here, or by whoever runs the service. */
const OWN_TEXT = [
  'api/current.ts',
  'config.ts',
  'contract/endpoints.ts',
  'database/oracle.ts',
  'database/render.ts',
  'database/aggregates.ts',
];

type Found = { file: string; expression: RegExp };

function expressionsIn(file: string): Found[] {
  const found: Found[] = [];
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, regex } = node as { type?: string; regex?: { pattern: string; flags: string } };
    if (type === 'Literal' && regex) found.push({ file, expression: new RegExp(regex.pattern, regex.flags) });
    for (const child of Object.values(node)) look(child);
  };
  look(parseAst(readFileSync(join(SRC, file), 'utf8'), { lang: 'ts' }));
  return found;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const all = files.flatMap(expressionsIn);

describe('expressions', () => {
  it('are safe wherever somebody else wrote the text', async ({ annotate }) => {
    const met = all.filter(({ file }) => !OWN_TEXT.includes(file));
    const unsafe = met.filter(({ expression }) => !isSafe(expression).safe);
    expect(unsafe.map(({ file, expression }) => `${file}: ${expression}`)).toEqual([]);
    expect(met.length).toBeGreaterThan(50);
    await annotate(`row 3: ${met.length} expressions meet what others wrote, none of them backtracks`);
  });

  it.each(Object.values(ENDPOINTS).map(({ path }) => path))('are safe for %s', (path) => {
    const unnamed = new RegExp(pathPattern(path).source.replaceAll(/\?<\w+>/g, '')); // the checker knows no names
    expect(isSafe(unnamed).safe).toBe(true);
  });

  it('are made from text in one place, of our own paths', () => {
    const making = files.filter((file) => /\bRegExp\(/.test(readFileSync(join(SRC, file), 'utf8')));
    expect(making).toEqual(['contract/endpoints.ts']);
  });

  it('would be found if they were like the one that once blocked everything for 20 seconds', () => {
    expect(isSafe(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/).safe).toBe(false);
  });
});
