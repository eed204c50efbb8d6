/**
 * `npm run pictures`: draws the dashboards with Grafana's own components in a headless browser, to
 * be looked at. It needs a database with readings (PGHOST, PGUSER, PGDATABASE, PGPASSWORD, as
 * psql), the packages of this folder (`npm install --ignore-scripts` here, 460 MB) and Chromium;
 * for the dashboard Service, PROMETHEUS_URL.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type Asked, gather } from './gather.ts';

const FOLDER = new URL('.', import.meta.url);
const OUT = new URL('out/', FOLDER);
const WIDTH = 1440;

/** Choices that show most: a station with gases and wind. */
const CHOICES: Readonly<Record<string, Asked>> = {
  network: {},
  station: { chosen: { city: 'velmora', station: '3' } },
  region: { chosen: { city: 'velmora', region: 'velmora' } },
  compare: { chosen: { city: 'velmora' } },
  service: { back: '1h' },
};

const { CHROMIUM: chromium = 'chromium', PROMETHEUS_URL: prometheus } = process.env;

/** Runs a program; its output is shown only if it fails. */
function run(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, {
    cwd: FOLDER,
    encoding: 'utf8',
    timeout: 180_000,
  });
  if (status !== 0)
    throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr.slice(0, 2000)}`);
}

mkdirSync(OUT, { recursive: true });
run('node_modules/.bin/esbuild', [
  'draw.tsx',
  '--bundle',
  '--outfile=out/draw.js',
  '--define:process.env.NODE_ENV="production"',
  '--jsx=automatic',
  '--loader:.svg=dataurl',
  '--loader:.ttf=empty',
  '--loader:.woff2=dataurl',
  '--format=esm',
  '--log-level=error',
]);
for (const [name, asked] of Object.entries(CHOICES)) {
  const drawn = await gather(name, asked, prometheus);
  const height = 60 + 38 * Math.max(...drawn.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const data = JSON.stringify(drawn).replaceAll('<', '\\u003c');
  const page = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="draw.css"><body><div id="root"></div><script>window.drawn = ${data}</script><script type="module" src="draw.js"></script>`;
  writeFileSync(new URL(`${name}.html`, OUT), page);
  run(chromium, [
    '--headless',
    '--no-sandbox',
    '--hide-scrollbars',
    '--allow-file-access-from-files',
    '--virtual-time-budget=20000',
    `--window-size=${WIDTH},${height}`,
    `--screenshot=${new URL(`${name}.png`, OUT).pathname}`,
    new URL(`${name}.html`, OUT).href,
  ]);
  process.stdout.write(`grafana/pictures/out/${name}.png\n`);
}
