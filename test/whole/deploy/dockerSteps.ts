/**
 * Runs a Dockerfile without Docker: its steps as plain commands, each stage in a folder that stands
 * for its file system. It supports the few instructions that ours uses and refuses all others. It
 * cannot check the base image, its C library, or the user.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export type Step = { word: string; rest: string };
export type Stage = { image: string; name: string; steps: Step[] };
/** A stage after its steps: its working directory, and the environment of its commands. */
export type Built = { root: string; folder: string; environment: Record<string, string> };

export function readStages(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const line of text.split('\n').filter((one) => one.trim() !== '' && !one.startsWith('#'))) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (word === 'FROM') {
      const [image = '', , name] = rest.split(' ');
      stages.push({ image, name: name ?? 'final', steps: [] });
    } else {
      stages.at(-1)?.steps.push({ word, rest });
    }
  }
  return stages;
}

/** The arguments of all steps with this instruction, in order. */
export const said = ({ steps }: Stage, word: string) =>
  steps.filter((step) => step.word === word).map((s) => s.rest);

/** The JSON array of CMD or HEALTHCHECK. */
export const wordsOf = (rest = '') => JSON.parse(rest.slice(rest.indexOf('['))) as string[];

/**
 * The files and folders that .dockerignore lets through: it excludes everything and then names
 * exceptions.
 */
export function contextOf(ignore: string): string[] {
  const [first, ...rest] = ignore
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (first !== '*' || rest.some((line) => !/^![\w.-]+$/.test(line)))
    throw new Error(`.dockerignore is not a list of exceptions to *: ${ignore}`);
  return rest.map((line) => line.slice(1));
}

export async function build(
  stages: Stage[],
  context: string,
  into: string,
): Promise<Map<string, Built>> {
  const built = new Map<string, Built>();
  for (const stage of stages) {
    const root = join(into, stage.name);
    mkdirSync(root);
    const state: Built = { root, folder: root, environment: {} };
    for (const step of stage.steps) await take(step, state, context, built);
    built.set(stage.name, state);
  }
  return built;
}

async function take(
  { word, rest }: Step,
  state: Built,
  context: string,
  built: Map<string, Built>,
): Promise<void> {
  switch (word) {
    case 'WORKDIR':
      state.folder = join(state.root, rest);
      mkdirSync(state.folder, { recursive: true });
      return;
    case 'ENV': {
      const [name = '', value = ''] = rest.split('=');
      state.environment[name] = value;
      return;
    }
    case 'COPY':
      copy(rest.split(' '), state, context, built);
      return;
    case 'RUN':
      await run(rest, state);
      return;
    case 'USER':
    case 'EXPOSE':
    case 'HEALTHCHECK':
    case 'ENTRYPOINT':
    case 'CMD':
      return;
    default:
      throw new Error(`the reader knows no ${word} ${rest}`);
  }
}

function copy(
  words: string[],
  { folder }: Built,
  context: string,
  built: Map<string, Built>,
): void {
  const from = words[0]?.startsWith('--from=')
    ? built.get(words.shift()?.slice('--from='.length) ?? '')
    : undefined;
  const to = words.pop() ?? '';
  for (const source of words.filter((word) => !word.startsWith('--chown='))) {
    const path = join(from?.root ?? context, source);
    const isFile = statSync(path).isFile();
    const goal = resolve(folder, to);
    const intoFolder = isFile && (to.endsWith('/') || existsSync(goal));
    cpSync(path, intoFolder ? join(goal, basename(path)) : goal, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

/** As in a fresh container, without the variables of the npm that runs this test. */
async function run(command: string, { folder, environment }: Built): Promise<void> {
  const passed = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package|lifecycle|command|execpath|config_local)|NODE_ENV|VITEST)/.test(name),
  );
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...Object.fromEntries(passed), PATH, ...environment };
  await promisify(execFile)('sh', ['-c', command], { cwd: folder, env }).catch(
    (error: Error & { stderr: string }) => {
      throw new Error(`RUN ${command}: ${error.message}\n${error.stderr}`);
    },
  );
}

/** Names of the packages in a node_modules folder. */
export function lockOf(folder: string): string[] {
  const { packages } = JSON.parse(
    readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'),
  );
  return Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''));
}
