/** The Dockerfile, without Docker: who runs what, and what is copied. CI builds the image, starts it by docker-compose.yml and waits for its health. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { ours, ROOT, textOf } from './composeFile.ts';

type Step = { word: string; rest: string };

/** The steps of each stage; the first of each is its FROM. */
const stages: Step[][] = [];
for (const line of textOf('Dockerfile').split('\n')) {
  const [, word = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
  if (word === 'FROM') stages.push([]);
  if (word !== '') stages.at(-1)?.push({ word, rest });
}
const [build = [], image = []] = stages;

/** The arguments of all steps with this instruction, in order. */
const said = (steps: Step[], word: string) => steps.filter((step) => step.word === word).map(({ rest }) => rest);
/** The JSON array of CMD or HEALTHCHECK. */
const wordsOf = (rest = '') => JSON.parse(rest.slice(rest.indexOf('['))) as string[];

it('has nothing but Node and what is copied, of the version it is built with, as a user who owns none of its files', () => {
  expect(stages.map((steps) => said(steps, 'FROM')[0])).toEqual([
    'node:24-alpine AS build',
    'gcr.io/distroless/nodejs24-debian13:nonroot',
  ]);
  const words = image.map(({ word }) => word);
  expect(said(image, 'USER')).toEqual(['nonroot']);
  expect(words.indexOf('USER')).toBeGreaterThan(words.lastIndexOf('COPY'));
  expect(words).not.toContain('RUN');
});

it('copies the compiled program, the SQL and what runs with it, readable whatever the umask of the clone', () => {
  const copied = ['package.json', 'node_modules', 'dist', 'sql'];
  expect(said(image, 'COPY')).toEqual(
    copied.map((name) => `--from=build /app/${name} ./${name.replace(/.*\..*/, '')}`),
  );
  const [open, prune] = said(build, 'RUN').toReversed();
  expect(prune).toBe('npm prune --ignore-scripts --omit=dev --omit=optional'); // no compiler, no embedded server
  expect(open?.split(' ').toSorted()).toEqual(['chmod', '-R', 'a+rX', ...copied].toSorted());
});

it('has a build context of exactly what it copies', () => {
  const [all, ...exceptions] = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const named = said(build, 'COPY').flatMap((rest) => rest.split(' ').slice(0, -1));
  expect([all, ...exceptions.toSorted()]).toEqual(['*', ...named.map((name) => `!${name}`).toSorted()]);
  expect(named.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});

it('is started, checked and asked by node alone, as there is no shell, and node is found', () => {
  expect(said(image, 'ENV')).toContain('PATH=/nodejs/bin');
  expect(said(image, 'ENTRYPOINT')).toEqual(['[]']); // that of the base would make `node dist/cli.js` into `node node dist/cli.js`
  for (const word of ['CMD', 'HEALTHCHECK']) expect(wordsOf(said(image, word)[0])[0]).toBe('node');
  for (const [name, { command, healthcheck }] of ours) {
    expect(command?.[0] ?? 'node', name).toBe('node');
    if (healthcheck?.disable) continue;
    const [kind, ...words] = healthcheck?.test ?? [];
    expect([kind, ...words.slice(0, -1)], name).toEqual([
      'CMD',
      ...wordsOf(said(image, 'HEALTHCHECK')[0]).slice(0, -1),
    ]);
  }
});

it('exposes the default ports, and asks that of the admin for its health', () => {
  const { port, adminPort, ingestPort } = readConfig({});
  expect(said(image, 'EXPOSE')).toEqual([`${port} ${adminPort} ${ingestPort}`]);
  expect(wordsOf(said(image, 'HEALTHCHECK')[0]).at(-1)).toBe(`http://127.0.0.1:${adminPort}/healthz`);
});
