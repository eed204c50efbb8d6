/**
 * The Dockerfile, without Docker: its steps run as plain commands in a clean folder, and the result
 * is started.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { emptyDatabase, engines } from '../../support/database.ts';
import { freePort } from '../../support/freePort.ts';
import { addressVariables, ready, runProgram } from '../../support/program.ts';
import { ROOT, textOf } from './composeFile.ts';
import { type Built, build, contextOf, lockOf, readStages, said, wordsOf } from './dockerSteps.ts';

const stages = readStages(textOf('Dockerfile'));
const last = stages.at(-1) as (typeof stages)[number];
const manifest = JSON.parse(textOf('package.json'));
const filesAt = (path: string) =>
  statSync(join(ROOT, path)).isFile()
    ? [path]
    : readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
        .map((name) => join(path, name))
        .filter((name) => statSync(join(ROOT, name)).isFile());
const folder = mkdtempSync(join(tmpdir(), 'airseries-image-'));
let context: string[];
let image: Built;

beforeAll(async () => {
  context = contextOf(textOf('.dockerignore')).flatMap(filesAt);
  for (const path of context) {
    mkdirSync(dirname(join(folder, 'context', path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, 'context', path));
    chmodSync(join(folder, 'context', path), 0o600); // as a clone made under umask 077 has them
  }
  image = (await build(stages, join(folder, 'context'), folder)).get('final') as Built;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = (words: string[], environment: Record<string, string> = {}) =>
  runProgram([process.execPath, ...words], {
    folder: image.folder,
    environment: { ...image.environment, ...environment },
  });

it('the image runs the Node that built it, as a user who owns no file, and its last stage runs nothing', () => {
  const majors = stages.map(({ image: base }) => /node(?:js|:)(\d+)/.exec(base)?.[1]);
  expect(majors).toEqual(majors.map(() => expect.stringMatching(`^${majors[0]}$`)));
  const words = last.steps.map(({ word }) => word);
  expect(said(last, 'USER')).toEqual(['nonroot']);
  expect(words.indexOf('USER')).toBeGreaterThan(words.lastIndexOf('COPY'));
  expect(words).not.toContain('RUN');
});

it('the image has a build context of exactly the files that it copies', () => {
  const copied = stages.flatMap((stage) =>
    said(stage, 'COPY').filter((rest) => !rest.startsWith('--from')),
  );
  const named = copied.flatMap((rest) => rest.split(' ').slice(0, -1));
  expect([...new Set(context.map((path) => path.split('/')[0]))].sort()).toEqual(
    [...new Set(named)].sort(),
  );
});

it('the image contains no compiler, no embedded server and no tests', () => {
  expect(readdirSync(image.folder).sort()).toEqual(['dist', 'node_modules', 'package.json', 'sql']);
  const installed = lockOf(image.folder);
  expect(installed).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  const unwanted = Object.keys({ ...manifest.devDependencies, ...manifest.optionalDependencies });
  expect(installed.filter((name) => unwanted.includes(name))).toEqual([]);
  for (const name of unwanted)
    expect(existsSync(join(image.folder, 'node_modules', name))).toBe(false);
  // nothing compiled for another C library than the image's
  const files = readdirSync(join(image.folder, 'node_modules'), {
    recursive: true,
    encoding: 'utf8',
  });
  expect(files.length).toBeGreaterThan(1_000);
  const compiled = files.filter((name) => /\.(node|so|dylib|wasm)$/.test(name));
  expect(compiled).toEqual([expect.stringMatching(/^@resvg\/resvg-js-linux-\w+-gnu\/\S+\.node$/)]);
});

it('the image has files that its user can read, whatever the umask of the clone', () => {
  const isOpen = (path: string) => {
    const stat = statSync(join(image.folder, path));
    const wanted = stat.isDirectory() ? 0o555 : 0o444;
    return (stat.mode & wanted) === wanted;
  };
  const files = readdirSync(image.folder, { recursive: true, encoding: 'utf8' });
  expect(files.filter((path) => !isOpen(path))).toEqual([]);
});

it('the image runs the commands', async () => {
  const { code, stderr } = await program(['dist/cli.js']).finished;
  expect(code).toBe(2);
  expect(stderr).toMatch(/Usage: airseries[\s\S]*\n\nerror: no command given\n$/);
});

it('the image names the missing variable if it is started without a database', async () => {
  const { code, stderr } = await program(['dist/cli.js', 'migrate'], {
    DATA_DIR: join(folder, 'data'),
  }).finished;
  expect(code).toBe(1);
  expect(stderr).toMatch(/DATABASE_URL/);
});

it('the image starts a service that becomes ready by its health check, and stops on SIGTERM', async () => {
  const database = await emptyDatabase(engines.at(-1) as (typeof engines)[number]);
  const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
  const [node, ...words] = wordsOf(said(last, 'CMD')[0]);
  expect(node).toBe('node');
  // a URL without a database: the driver takes that from its variables, too
  const DATABASE_URL = 'postgres://';
  const service = program(words, {
    ...addressVariables(database.target),
    DATABASE_URL,
    PORT,
    ADMIN_PORT,
    INGEST_PORT,
  });
  await ready(ADMIN_PORT, service);
  const defaults = readConfig({});
  const check = new URL(wordsOf(said(last, 'HEALTHCHECK')[0]).at(-1) ?? '');
  expect([check.hostname, check.port]).toEqual(['127.0.0.1', String(defaults.adminPort)]);
  const [, ...asked] = wordsOf(said(last, 'HEALTHCHECK')[0]).slice(0, -1);
  const checked = (path: string) =>
    program([...asked, `http://127.0.0.1:${ADMIN_PORT}${path}`]).finished;
  expect((await checked(check.pathname)).code).toBe(0);
  expect((await checked('/no-such-path')).code).toBe(1);
  expect((await fetch(`http://127.0.0.1:${PORT}/en/air-quality-app/v1/stations.json`)).status).toBe(
    200,
  );
  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
  expect((await checked(check.pathname)).code).toBe(1);
  await database.drop();
});
