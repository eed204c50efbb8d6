/**
 * Nothing is exported for nobody, while the project has every extra.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EXTRAS } from '../../../src/extras.ts';
import { whereComplete } from '../../support/complete.ts';

const PROJECT = new URL('../../../', import.meta.url).pathname;
const EXPORT = /^export (?:async )?(?:const|function\*?|type|class) (\w+)/gm;

const paths = ['src', 'test', 'grafana'].flatMap((folder) =>
  readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules')),
);
const texts = new Map(paths.map((path) => [path, readFileSync(join(PROJECT, path), 'utf8')]));

/** The files that have each word. */
const users = new Map<string, string[]>();
for (const [path, text] of texts)
  for (const word of new Set(text.split(/\W+/))) {
    const known = users.get(word);
    if (known === undefined) users.set(word, [path]);
    else known.push(path);
  }

const exported = paths
  .filter((path) => path.startsWith('src/') && !path.startsWith('src/contract/'))
  .flatMap((path) =>
    [...(texts.get(path) ?? '').matchAll(EXPORT)].map(([, name = '']) => ({ path, name })),
  );

it.for(['no extra', ...EXTRAS.map(({ name }) => name)])(
  'with %s taken away, every export of the source is used by another file, except in the contract',
  whereComplete,
  (extra) => {
    const isThere = (path: string) => !path.includes(`/extras/${extra}/`);
    const unused = exported.filter(
      ({ path, name }) =>
        isThere(path) && !users.get(name)?.some((user) => user !== path && isThere(user)),
    );
    expect(unused).toEqual([]);
  },
);
