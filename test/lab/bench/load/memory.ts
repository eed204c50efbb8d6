/** Memory of processes, as the system tells it; NaN where it doesn't. */
import { readFileSync } from 'node:fs';
import type { DatabaseAddress } from '../../../../src/database/address.ts';
import { connect } from '../../../../src/database/client.ts';

const LOOK_MS = 100;

/** MiB: `VmRSS` is all that is resident, `RssAnon` what no other process shares. */
export function memoryOf(pid: number, line: 'VmRSS' | 'RssAnon'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024;
  } catch {
    return Number.NaN; // it has ended, or runs on another machine
  }
}

/** MiB of the server's processes that are connected to a database, without what they share. */
export type ServerMemory = { largest: number; together: number };

/** Looks ten times a second; the peaks until the end. */
export function watchServer(target: DatabaseAddress): { end(): Promise<ServerMemory> } {
  const sql = connect(target, { name: 'bench memory' });
  const peak: ServerMemory = { largest: 0, together: 0 };
  let over = false;
  const look = async () => {
    const rows = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    const own = rows.map(({ pid }) => memoryOf(pid, 'RssAnon')).filter((mib) => !Number.isNaN(mib));
    peak.largest = Math.max(peak.largest, ...own);
    peak.together = Math.max(
      peak.together,
      own.reduce((sum, mib) => sum + mib, 0),
    );
  };
  const watching = (async () => {
    do {
      await look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    } while (!over);
  })();
  watching.catch(() => undefined); // it is awaited at the end
  return {
    async end() {
      over = true;
      await watching.finally(() => sql.end({ timeout: 1 }));
      return peak;
    },
  };
}
