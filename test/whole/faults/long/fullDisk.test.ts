/**
 * The disk of the embedded server fills up, and space is freed again. Needs its own file system,
 * which only root can mount.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpGet } from '../../../support/http.ts';
import { until } from '../../../support/patience.ts';
import { makeHome, runAirseries } from '../../../support/program.ts';
import { feed, type Pushed, prepare } from './feeding.ts';

const MIB = 1024 * 1024;
const home = makeHome();
const disk = join(home.folder, 'data');
const filler = join(disk, 'filler');
let mounted = false;
let token: string;

beforeAll(async () => {
  try {
    mkdirSync(disk, { mode: 0o755 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=755', 'none', disk], {
      stdio: 'ignore',
    });
    mounted = true;
  } catch {
    return;
  }
  token = await prepare(home);
});
afterAll(() => {
  if (mounted) execFileSync('umount', ['-l', disk]);
  home.remove();
});

it.for([
  ['tables cannot grow', 4],
  ['the write-ahead log has no room for its next segment, and the server ends', 12],
] as const)(
  'readings are 503 or 507 within 3.2 seconds if %s, and accepted within ten seconds after space is freed',
  async ([what, left], { annotate, skip }) => {
    if (!mounted) skip('only root may mount a small disk');
    const { service, port, push } = await feed(home.environment, token);
    expect((await push(2_000)).status).toBe(200);

    const answers: Pushed[] = [];
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(filler, Buffer.alloc(bavail * bsize - left * MIB));
    while (answers.filter(({ status }) => status !== 200).length < 40)
      answers.push(await push(2_000));
    const reads = await Promise.all(
      Array.from({ length: 5 }, () => httpGet(port, '/en/air-quality-app/v1/stations.json')),
    );
    const statuses = count([...answers, ...reads].map(({ status }) => status));
    const slowest = Math.max(...answers.map(({ seconds }) => seconds));

    rmSync(filler);
    const began = performance.now();
    await until(async () => (await push(2_000)).status === 200, 'readings are accepted again');
    const back = (performance.now() - began) / 1_000;
    await annotate(
      `row 12, ${what}: ${JSON.stringify(statuses)}, the slowest after ${slowest.toFixed(1)} s; back ${back.toFixed(1)} s after space was freed`,
    );
    service.kill('SIGTERM');
    expect((await service.finished).code).toBe(0);

    expect(
      Object.keys(statuses).filter((status) => !['200', '503', '507'].includes(status)),
    ).toEqual([]);
    expect(slowest).toBeLessThan(3.2);
    expect(back).toBeLessThan(10);
    const audited = await runAirseries(['audit', '--from', '2020-01-01'], home.environment)
      .finished;
    expect(audited.stdout.trim()).toBe('[]');
  },
);

it('an import on a full disk says what to do and stores nothing of the file, and the same one again completes it', async ({
  annotate,
  skip,
}) => {
  if (!mounted) skip('only root may mount a small disk');
  const { service } = await feed(home.environment, token);
  const first = Date.parse('2021-01-01T00:00:00Z');
  const rows = Array.from(
    { length: 200_000 },
    (_, n) => `1,${new Date(first + n * 60_000).toISOString()},${n % 50},${n % 30},${n % 70}`,
  );
  const path = join(home.folder, 'readings.csv');
  writeFileSync(path, ['sensor_id,time,pm25,temperature,humidity', ...rows, ''].join('\n'));
  const run = (...words: string[]) => runAirseries(words, home.environment).finished;
  const before = JSON.parse((await run('status')).stdout);

  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - 4 * MIB));
  const failed = await run('import', 'readings', path);
  rmSync(filler);
  await annotate(failed.stderr.trim().split('\n').at(-1) ?? '');
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toContain('Make room there');
  const after = JSON.parse((await run('status')).stdout);
  expect(after.freshness.newest_reading).toEqual(before.freshness.newest_reading);

  const again = await run('import', 'readings', path);
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
    0,
    { accepted: rows.length, unchanged: 0 },
  ]);
  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
});

function count(all: number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of all) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}
