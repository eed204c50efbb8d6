/**
 * `npx tsx grafana/pictures/terminal.ts`: draws the picture of an import for a README from
 * the output of the real command on a real terminal (util-linux's `script`), with a service and a
 * database of its own. The picture is text: SVG.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';

const ROOT = new URL('../../', import.meta.url).pathname;
const FILE = new URL('import.svg', import.meta.url);
const COLUMNS = 100;

const [SENSOR, UNKNOWN] = [1, 13];
const NETWORK = {
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'city', title: 'City of Example' }],
  regions: [{ slug: 'example', kind: 'city', title: { en: 'Example' } }],
  stations: [
    {
      id: 1,
      provider: 'city',
      title: { en: '1 Main Street' },
      latitude: 40.18,
      longitude: 44.51,
      regions: ['example'],
      sensors: [{ id: SENSOR, kind: 'SDS011' }],
    },
  ],
};

/** Two months of a sensor, and three lines such as people send. */
function readings(): string {
  const lines = Array.from({ length: 17_000 }, (_, n) => {
    const pm25 = 14 + 9 * Math.sin(n / 80);
    return `${SENSOR},${new Date(Date.UTC(2026, 8, 20) + n * 300_000).toISOString()},${pm25.toFixed(1)},67`;
  });
  const mistakes = [
    `${SENSOR},2026-11-20T13:00:12Z,5014.2,67`,
    `${UNKNOWN},2026-11-20T13:00:12Z,9.4,67`,
    `${SENSOR},20.11.2026 13:05,9.6,66`,
  ];
  return `${['sensor_id,time,pm25_raw,humidity', ...lines, ...mistakes].join('\n')}\n`;
}

/** The rows that stay: a redrawn row counts once, as it was last. */
function rowsOf(transcript: string): string[] {
  return transcript
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => stripVTControlCharacters(line.slice(line.lastIndexOf('\r') + 1)))
    .flatMap((line) => line.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? ['']);
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function colourOf(row: string): string {
  if (row.startsWith('$')) return '#6fb3f5';
  return /^(warn|error)/.test(row) ? '#f5c66f' : '#e4e8ec';
}

function draw(rows: readonly string[]): string {
  const [line, margin] = [17, 14];
  const [width, height] = [COLUMNS * 7.25 + 2 * margin, rows.length * line + 2 * margin];
  const texts = rows.map((row, n) => {
    const fill = colourOf(row);
    return `<text x="${margin}" y="${margin + n * line + 12}" fill="${fill}" xml:space="preserve">${escapeXml(row)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="12">
<title>An import in a terminal</title>
<rect width="100%" height="100%" rx="8" fill="#14181c"/>
${texts.join('\n')}
</svg>
`;
}

const folder = mkdtempSync(join(tmpdir(), 'airseries-picture-'));
chmodSync(folder, 0o755); // as root, the server runs as another user and must get in
writeFileSync(join(folder, 'network.json'), JSON.stringify(NETWORK));
writeFileSync(join(folder, 'readings.csv.gz'), gzipSync(readings()));
const ports = { PORT: '18093', ADMIN_PORT: '18094' };
const env = {
  ...process.env,
  ...ports,
  DATA_DIR: join(folder, 'data'),
  DEMO: 'off',
  TIME_ZONE: NETWORK.time_zone,
};
const service = spawn(process.execPath, [join(ROOT, 'dist/cli.js'), 'start'], {
  env,
  stdio: ['ignore', 'ignore', 'pipe'],
});
for await (const text of service.stderr) if (String(text).includes('ready')) break;

const COMMANDS = [
  'import network network.json',
  'import readings readings.csv.gz',
  'status --sensors',
];
const written = COMMANDS.map((words) => {
  const command = `stty cols ${COLUMNS}; exec ${process.execPath} ${join(ROOT, 'dist/cli.js')} ${words}`;
  const transcript = execFileSync('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { ...env, LOG_LEVEL: 'warn' },
    encoding: 'utf8',
  });
  return [`$ node src/airseries.js ${words}`, ...rowsOf(transcript.trimEnd()), ''];
});
service.kill('SIGTERM');
await once(service, 'exit');
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
const picture = draw(written.slice(1).flat().slice(0, -1)); // the network is there already
writeFileSync(FILE, picture);
process.stdout.write(`grafana/pictures/import.svg: ${Math.round(picture.length / 1_024)} KB\n`);
