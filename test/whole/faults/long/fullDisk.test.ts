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

function count(all: number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of all) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}
