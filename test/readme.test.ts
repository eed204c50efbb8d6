/** What the documentation tells people to type: its commands exist, and its lines for `.env` add what is missing and nothing else. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { choose as chooseWords } from './support/command.ts';
import { temporaryFolder } from './support/temporaryFolder.ts';
import { needs } from './support/tools.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const documents = [
  ...['README.md', 'grafana/README.md', '.github/workflows/ci.yml'],
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('README.md'))
    .map((path) => join('src', path)),
];

/** The words of a command in a shell, as far as the documentation uses one. */
function wordsOf(line: string): string[] {
  const command = line
    .replace(/\s*[<>|;`].*| #.*/, '')
    .replaceAll(/"?\$\(.*?\)"?/g, '2026-01-01')
    .replaceAll('"', '');
  return command.split(' ').filter((word) => word !== '');
}

const commands = documents.flatMap((path) =>
  [...textOf(path).matchAll(/node (?:src\/airseries|dist\/cli)\.js +([a-z].*)/g)].map(
    ([, rest = '']) => ({
      path,
      rest,
    }),
  ),
);

it.each(commands)('$path: $rest', ({ rest }) => {
  const choice = chooseWords(wordsOf(rest));
  if ('check' in choice && !/^(export|import network)/.test(rest))
    choice.check(readConfig({ RAW_RETENTION: '2 years' }));
  expect(Object.keys(choice).length).toBeGreaterThan(0);
});

it('what is promised of security names tests that exist', () => {
  const named = [...textOf('src/http/README.md').matchAll(/`(test\/[\w./]+)`/g)].map(
    ([, path]) => `${path}`,
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('nothing tells people to type `npx` and the name: no package has it, so outside the folder a stranger could answer', () => {
  const files = ['src', 'sql', 'grafana', '.github'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(folder, path),
    ),
  );
  const texts = [...files, 'README.md', 'CHANGELOG.md', '.env.example', 'docker-compose.yml']
    .filter((path) => !path.endsWith('.png') && statSync(join(ROOT, path)).isFile())
    .filter((path) => /npx (-\S+ )*airseries/.test(textOf(path)));
  expect(texts).toEqual([]);
});

it('has commands everywhere', () => {
  expect(commands.length).toBeGreaterThan(30);
  expect([...new Set(commands.map(({ path }) => path))].length).toBeGreaterThan(5);
});

it('the lines for Docker write files as the user who types them, and an upgrade brings newer base images', () => {
  const mounts = textOf('src/commands/README.md').match(/^.*docker compose run .* -v .*$/gm) ?? [];
  expect(mounts).toEqual([expect.stringContaining(' --user "$(id -u):$(id -g)" ')]);
  expect(textOf('src/database/README.md')).toContain(
    '`docker compose pull && docker compose build --pull && docker compose up --wait`',
  );
});

it(
  'the lines for .env keep what is there, add what is missing or empty, and may be run again',
  needs('openssl'),
  () => {
    const [, recipe = ''] =
      /```sh\n((?:.*\n)*?.*>> \.env; done\n)/.exec(
        textOf('README.md').split('## Docker')[1] ?? '',
      ) ?? [];
    const folder = temporaryFolder('env');
    const file = join(folder, '.env');
    writeFileSync(file, 'TIME_ZONE=Asia/Tokyo\nAPI_PASSWORD=\nPOSTGRES_PASSWORD=mine'); // without an end of line
    const run = () => {
      execFileSync('/bin/sh', ['-ec', recipe], { cwd: folder });
      return readFileSync(file, 'utf8');
    };
    const first = run();
    // of two lines with a name the last counts, as in Compose
    const values = Object.fromEntries(
      [...first.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    const secret = expect.stringMatching(/^[0-9a-f]{48}$/);
    expect(values).toEqual({
      ...{
        TIME_ZONE: 'Asia/Tokyo',
        POSTGRES_PASSWORD: 'mine',
        API_PASSWORD: secret,
        SERVICE_PASSWORD: secret,
      },
      ...{ READER_PASSWORD: secret, GRAFANA_PASSWORD: secret, GRAFANA_SECRET_KEY: secret },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(run()).toBe(first);
    const mounted = [...textOf('docker-compose.yml').matchAll(/['"\s-]\.\/(\w+)\/\S*?:\//g)].map(
      ([, name]) => name,
    );
    const opened = /^chmod -R a\+rX (.*?) +#/m.exec(textOf('README.md'))?.[1]?.split(' ');
    expect(opened?.sort()).toEqual([...new Set(mounted)].sort());
    const needed = [...textOf('docker-compose.yml').matchAll(/\$\{(\w+):\?/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(needed)].filter((name) => !(`${name}` in values))).toEqual([]);
  },
);
