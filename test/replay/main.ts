/**
 * Replays a day of a large network over HTTP, many times faster than real time, while clients read
 * the API:
 *
 *   npm run replay -- [--sensors 500] [--speed 200] [--hours 24]
 *
 * Runs the service as a process on an embedded server, and prints errors (there must be none), the
 * latency of the API, the time from the acceptance of a reading to its appearance in the history,
 * and what the audit found (it must be nothing).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, makeHome, ready, start } from '../support/program.ts';
import { type Feed, makeNetwork, measure, STEP_MS } from './network.ts';
import { probe } from './probe.ts';
import { keepReading } from './read.ts';

const { values } = parseArgs({
  options: {
    sensors: { type: 'string', default: '500' },
    speed: { type: 'string', default: '200' },
    hours: { type: 'string', default: '24' },
  },
});
const [sensors, speed, hours] = [
  Number(values.sensors),
  Number(values.speed),
  Number(values.hours),
];

const HOUR = 3_600_000;
const BATCH = 50;
const begun = Math.floor(Date.now() / HOUR) * HOUR - hours * HOUR;

const home = makeHome();
const { environment } = home;
const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
const ports = { PORT, ADMIN_PORT, INGEST_PORT };
const { network, feeds, probe: probed } = makeNetwork(sensors);

async function cli(...words: string[]) {
  const { code, stdout, stderr } = await start(words, environment).finished;
  if (code !== 0) throw new Error(`cli ${words.join(' ')}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

const failures: string[] = [];
let accepted = 0;
const ingest = `http://localhost:${INGEST_PORT}/v1/readings`;

async function send(token: string, readings: object[]): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(ingest, { method: 'POST', headers, body: JSON.stringify(readings) });
  const body = (await answer.json()) as { accepted?: number };
  if (answer.status === 200) accepted += body.accepted ?? 0;
  if (body.accepted !== readings.length)
    failures.push(`ingest ${answer.status} ${JSON.stringify(body)}`);
}

/** Sends one provider's readings through the day, in step with the replay's clock. */
async function replay({ sensors: own }: Feed, token: string, started: number): Promise<number> {
  let sent = 0;
  for (let at = begun; at < begun + hours * HOUR; at += STEP_MS) {
    const wait = started + (at - begun) / speed - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    for (let first = 0; first < own.length; first += BATCH) {
      const batch = own.slice(first, first + BATCH).map((sensor) => measure(sensor, at));
      await send(token, batch);
      sent += batch.length;
    }
  }
  return sent;
}

try {
  const file = join(home.folder, 'network.json');
  writeFileSync(file, JSON.stringify(network));
  await cli('import', 'network', file);
  const tokens: string[] = [];
  for (const { provider } of feeds) {
    tokens.push((await cli('token', 'add', provider, '--provider', provider)).token);
  }
  const service = start(['start'], { ...environment, ...ports, DEMO: 'off' });
  await ready(ADMIN_PORT, service);
  process.stderr.write(
    `replaying ${hours} hours of ${sensors} sensors at ${speed} times their speed\n`,
  );
  const started = performance.now();
  const reading = keepReading(Number(PORT), network);
  const probing = probe({
    port: Number(PORT),
    ...probed,
    token: tokens[0] as string,
    send,
    begun: Date.now(),
  });
  const sent = await Promise.all(
    feeds.map((feed, index) => replay(feed, tokens[index] as string, started)),
  );
  const seconds = (performance.now() - started) / 1_000;
  const seen = await probing.end();
  const read = await reading.end();
  const audit = await cli('audit');
  service.kill('SIGTERM');
  await service.finished;
  const total = sent.reduce((sum, n) => sum + n, 0) + seen.probes;
  const result = {
    seconds: Math.round(seconds),
    readings_sent: total,
    readings_accepted: accepted,
    readings_per_second: Math.round(total / seconds),
    ingest_failures: failures.length,
    api: read,
    seconds_from_acceptance_to_history: seen,
    differing_buckets: audit.length,
  };
  process.stdout.write(`${JSON.stringify(result, null, 1)}\n`);
  for (const failure of [...failures, ...read.failures].slice(0, 5))
    process.stderr.write(`${failure}\n`);
  const well = failures.length + read.failures.length + audit.length === 0 && accepted === total;
  process.exitCode = well ? 0 : 1;
} finally {
  home.remove();
}
