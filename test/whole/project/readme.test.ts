/**
 * Nothing stops a reader of the documentation: its commands exist, its links lead somewhere, and its
 * recipes do what they promise when they are typed as they are written.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetWriteFile } from 'hyparquet-writer';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { choose as chooseWords } from '../../support/command.ts';
import { isComplete, whereComplete } from '../../support/complete.ts';
import { freePort } from '../../support/freePort.ts';
import { until } from '../../support/patience.ts';
import { ready, runProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { needs } from '../../support/tools.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const documents = [
  'README.md',
  'grafana/README.md',
  '.github/workflows/ci.yml',
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('README.md'))
    .map((path) => join('src', path)),
];

/** The words of a command in a shell, as far as the documentation uses one. */
function wordsOf(line: string): string[] {
  const command = line
    .replace(/\s*[<>|;&`].*| #.*/, '')
    .replaceAll(/"?\$\(.*?\)"?/g, '2026-01-01')
    .replaceAll('"', '');
  return command.split(' ').filter((word) => word !== '');
}

const commands = documents.flatMap((path) =>
  [...textOf(path).matchAll(/node (?:src\/airseries|dist\/cli)\.js +([a-z].*)/g)].map(
    ([, rest = '']) => ({ path, rest }),
  ),
);

it.for(commands)('a documented command exists: $path, $rest', whereComplete, ({ rest }) => {
  const choice = chooseWords(wordsOf(rest));
  if ('check' in choice && !/^import network/.test(rest))
    choice.check(readConfig({ RAW_RETENTION: '2 years' }));
  expect(Object.keys(choice).length).toBeGreaterThan(0);
});

const pages = documents
  .filter((path) => path.endsWith('.md'))
  .concat(
    '.github/CONTRIBUTING.md',
    '.github/SECURITY.md',
    'test/README.md',
    'grafana/runbooks.md',
  );

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string) =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** A row of the table of metrics is a name and its help, and cannot be split. */
const isMetric = (line: string) => line.startsWith('| `airseries_');

it.for(pages)(
  'every link of a page leads to a file and a heading, and no line is longer than 160: %s',
  whereComplete,
  (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)];
    const broken = links.filter(([, link = '']) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken.map(([, link]) => link)).toEqual([]);
    // files named by their paths; NAME stands for one to be made
    const named = [...textOf(page).matchAll(/`((?:test|src|sql|grafana)\/[\w./-]+\.\w+)`/g)]
      .map(([, path]) => `${path}`)
      .filter((path) => !path.includes('NAME'));
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const lines = page.endsWith('README.md') ? textOf(page).split('\n') : [];
    expect(lines.filter((line) => line.length > 160 && !isMetric(line))).toEqual([]);
  },
);

const DOCKER = 'src/commands/README.md';

it(
  'the lines for .env keep what is there, add what is missing or empty, and may be run again',
  needs('openssl'),
  () => {
    const [, recipe = ''] =
      /```sh\n((?:.*\n)*?.*>> \.env; done\n)/.exec(textOf(DOCKER).split('## Docker')[1] ?? '') ??
      [];
    const folder = temporaryFolder('env');
    const file = join(folder, '.env');
    // without an end of line
    writeFileSync(file, 'TIME_ZONE=Asia/Tokyo\nAPI_PASSWORD=\nPOSTGRES_PASSWORD=mine');
    const run = () => {
      execFileSync('/bin/sh', ['-ec', recipe], { cwd: folder });
      return readFileSync(file, 'utf8');
    };
    const first = run();
    // the last of two lines with a name counts, as in Compose
    const values = Object.fromEntries(
      [...first.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    const secret = expect.stringMatching(/^[0-9a-f]{48}$/);
    expect(values).toEqual({
      TIME_ZONE: 'Asia/Tokyo',
      POSTGRES_PASSWORD: 'mine',
      API_PASSWORD: secret,
      SERVICE_PASSWORD: secret,
      READER_PASSWORD: secret,
      GRAFANA_PASSWORD: secret,
      GRAFANA_SECRET_KEY: secret,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(run()).toBe(first);
    const needed = [...textOf('docker-compose.yml').matchAll(/\$\{(\w+):\?/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(needed)].filter((name) => !(`${name}` in values))).toEqual([]);
  },
);

/**
 * The blocks of a language in the section of a page that a heading begins, up to the next heading.
 */
function blocksOf(page: string, heading: string, language: string): string[] {
  const text = textOf(page).split(`\n${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  );
}

const NETWORK = 'src/network/README.md';

// in npm test: test/extras/embedded/service.test.ts, which starts and imports by the same commands
it(
  'the page’s way to a network of one’s own works as it is written, step by step',
  isComplete ? needs('all', 'curl') : whereComplete,
  async () => {
    const folder = temporaryFolder('readme');
    for (const name of ['src', 'package.json']) symlinkSync(join(ROOT, name), join(folder, name));
    const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
    const environment = { PORT, ADMIN_PORT, INGEST_PORT, HOME: folder };
    const type = (command: string) =>
      runProgram(['/bin/sh', '-ec', command], { environment, folder });
    /** In another terminal, in which the folder of the data is named once. */
    const typed = async (command: string) => {
      const { code, stdout, stderr } = await type(`export DATA_DIR=mine\n${command}`).finished;
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      return stdout;
    };
    const [example = ''] = blocksOf(NETWORK, '## Your own network', 'json');
    // another zone than the default
    const network = example.replace('Asia/Yerevan', 'Europe/Berlin');
    const [first = '', later = ''] = blocksOf(NETWORK, '## Your own network', 'sh');
    writeFileSync(join(folder, 'network.json'), network);

    const service = type(first.replace('npm start', 'exec npm start')); // which gets the signal
    onTestFinished(async () => {
      service.kill('SIGTERM');
      await service.finished;
    });
    await ready(ADMIN_PORT, service);
    const api = async (path: string) =>
      (await fetch(`http://localhost:${PORT}/en/air-quality-app/v1/${path}.json`)).json();
    // and no demo
    expect((await api('stations')).stations).toMatchObject([{ id: 1, title: '1 Main Street' }]);
    expect(later).toMatch(/^export DATA_DIR=mine\n/);
    expect(await typed(later)).toContain('"dry_run": true');

    const [device = ''] = blocksOf(NETWORK, '### I have devices', 'sh');
    const [add = '', , ...push] = device.split('\n');
    const { token } = JSON.parse(await typed(add));
    await until(() => service.log().includes('HTTP ingestion is open'), 'the port opens');
    const sent = push.join('\n').replace('localhost:8082', `localhost:${INGEST_PORT}`);
    expect(JSON.parse(await typed(`TOKEN=${token}\n${sent}`))).toMatchObject({ accepted: 1 });
    await until(async () => (await api('station/1'))['pm2.5'] === 14.2, 'the reading shows');

    const [files = ''] = blocksOf(NETWORK, '### I have files', 'sh');
    const [, header = ''] = / such as (\S+)$/m.exec(files) ?? [];
    const lines = `${header}\n12,2026-11-01T08:00:00Z,9.5,7.5\n`;
    writeFileSync(join(folder, 'readings.csv.gz'), gzipSync(lines));
    expect(JSON.parse(await typed(files))).toMatchObject({ accepted: 1 });
    expect(JSON.parse(await typed('node src/airseries.js audit'))).toEqual([]);
    expect(JSON.parse(await typed('node src/airseries.js status --json'))).toMatchObject({
      time_zone: 'Europe/Berlin',
    });
  },
);

// DuckDB reads addresses with an extension that it would have to download
it(
  'DuckDB reads one station, and all of the history, as the README says',
  whereComplete,
  async () => {
    // two stations with one value in each hour of two months: 10 µg/m³, and then 20
    const folder = temporaryFolder('readme');
    mkdirSync(join(folder, 'hours'));
    const months = ['2026-09', '2026-10'].map((month, n) => {
      const from = Date.parse(`${month}-01T00:00:00Z`);
      const hours = [0, 1].flatMap((station) => [0, 1, 2].map((hour) => [station, hour] as const));
      const path = `hours/${month}.parquet`;
      parquetWriteFile({
        filename: join(folder, path),
        columnData: [
          { name: 'station_id', type: 'INT32', data: hours.map(([station]) => station + 1) },
          {
            name: 'timestamp',
            type: 'TIMESTAMP',
            data: hours.map(([, hour]) => new Date(from + hour * 3_600_000)),
          },
          { name: 'avg_pm25', type: 'DOUBLE', data: hours.map(() => 10 * (n + 1)) },
        ],
      });
      return { path, bytes: 1 };
    });
    const resources = [...months, { path: 'stations.csv', bytes: 1 }];
    writeFileSync(join(folder, 'datapackage.json'), JSON.stringify({ resources }));
    const [recipe = ''] = blocksOf('src/extras/archive/README.md', '## Read it', 'sql');
    const [one, list, all] = recipe.replaceAll('https://air.example/archive', folder).split(/;\n/);
    const connection = await (await DuckDBInstance.create()).connect();
    const rows = async (text = '') => (await connection.runAndReadAll(text)).getRowObjectsJson();
    expect(await rows(one)).toHaveLength(6);
    expect((await rows(one)).at(-1)).toEqual({ timestamp: '2026-10-01 02:00:00', avg_pm25: 20 });
    await connection.run(list ?? '');
    expect(await rows(`${all} order by 1`)).toEqual([
      { station_id: 1, 'avg(avg_pm25)': 15 },
      { station_id: 2, 'avg(avg_pm25)': 15 },
    ]);
    connection.closeSync();
  },
);
