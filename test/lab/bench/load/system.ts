/** What a process has used, as the system tells it; NaN where it doesn't, or it has ended. */
import { readFileSync } from 'node:fs';

/** Seconds of processor so far, which a busy machine disturbs less than the time that passes. */
export function cpuSeconds(pid: number): number {
  const fields = read(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** MiB: `VmRSS` is all that is resident, `RssAnon` what no other process shares. */
export function memoryOf(pid: number, line: 'VmRSS' | 'RssAnon'): number {
  const found = new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(read(pid, 'status'));
  return Number(found?.[1]) / 1_024;
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
