/**
 * Every regular expression in the sources: none that matches text from senders or clients
 * backtracks.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSafe } from 'redos-detector';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { pathPattern } from '../../../src/contract/endpoints.ts';
import { ALL_ENDPOINTS } from '../../../src/contract/explore.ts';
import { unnamed } from '../../support/expressions.ts';
import { needs } from '../../support/tools.ts';

const SRC = new URL('../../../src/', import.meta.url).pathname;

/** Files whose expressions match only our own text or the operator's. */
const OWN_TEXT = [
  'serve/current.ts',
  'config.ts',
  'base/webAddress.ts',
  'extras/embedded/existing.ts',
  'extras/pages/extra.ts',
  'contract/endpoints.ts',
  'schema/oracle.ts',
  'schema/template.ts',
  'schema/aggregates.ts',
  'schema/migrations.ts',
  'schema/rebuild.ts',
  'extras/pages/assets.ts',
  'extras/pages/format.ts',
  'contract/words/form.ts',
  'network/json.ts', // sticky, over the operator's file
];

type Found = { file: string; expression: RegExp };

function expressionsIn(file: string): Found[] {
  const found: Found[] = [];
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, regex } = node as { type?: string; regex?: { pattern: string; flags: string } };
    if (type === 'Literal' && regex)
      found.push({ file, expression: new RegExp(regex.pattern, regex.flags) });
    for (const child of Object.values(node)) look(child);
  };
  look(parseAst(readFileSync(join(SRC, file), 'utf8'), { lang: 'ts' }));
  return found;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);
const all = files.flatMap(expressionsIn);

describe('expressions', () => {
  it('regular expressions are safe where they match text from outside', needs('all'), () => {
    const exposed = all.filter(({ file }) => !OWN_TEXT.includes(file));
    const unsafe = exposed.filter(({ expression }) => !isSafe(unnamed(expression)).safe);
    expect(unsafe.map(({ file, expression }) => `${file}: ${expression}`)).toEqual([]);
    expect(exposed.length).toBeGreaterThan(50);
  });

  it.each(Object.values(ALL_ENDPOINTS).map(({ path }) => path))(
    'the regular expression of the path %s is safe',
    needs('all'),
    (path) => {
      expect(isSafe(unnamed(pathPattern(path))).safe).toBe(true);
    },
  );

  it('regular expressions are built from strings in two files only: paths and parts of times', () => {
    const making = files.filter((file) => /\bRegExp\(/.test(readFileSync(join(SRC, file), 'utf8')));
    const known = ['contract/endpoints.ts', 'extras/senders/reading/times.ts'];
    expect(making).toEqual(known.filter((file) => files.includes(file)));
  });

  it('the checker rejects the regular expression that once blocked the process for 20 seconds', () => {
    expect(isSafe(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/).safe).toBe(false);
  });
});
