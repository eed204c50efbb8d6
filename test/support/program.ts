/** Runs the programs as an operator would: as processes of their own, on an embedded server in a folder of their own. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Finished = { code: number | null; stdout: string; stderr: string };
export type Running = { finished: Promise<Finished>; kill(signal: NodeJS.Signals): void };

export function makeHome(): { folder: string; environment: Record<string, string>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-home-'));
  chmodSync(folder, 0o755); // as root, the server runs as another user and must get in
  return {
    folder,
    environment: { DATA_DIR: join(folder, 'data'), EMBEDDED_PG: 'bundled', TIME_ZONE: 'Asia/Yerevan' },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** `program` is `cli` or `main`. */
export function start(program: string, words: string[], environment: Record<string, string>, input = ''): Running {
  const file = new URL(`../../src/${program}.ts`, import.meta.url).pathname;
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...words], { env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(input);
  const finished = new Promise<Finished>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  return { finished, kill: (signal) => child.kill(signal) };
}
