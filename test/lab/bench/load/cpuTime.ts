/**
 * Processor time of a process: what a server spends on a request, which a busy machine disturbs
 * less than the time that it takes.
 */
import { readFileSync } from 'node:fs';

/** Seconds so far; NaN where the system doesn't tell. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}
