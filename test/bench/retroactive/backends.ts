/**
 * What the server's processes do meanwhile for the commands: the most memory that one of them took, and where the time went, by the
 * table that was being written to. Looked at a few times a second, on this machine (/proc).
 */
import { readFileSync } from 'node:fs';
import { connect, type DatabaseAddress } from '../../../src/database/client.ts';

const LOOK_MS = 200;

export type Busy = {
  /** Megabytes: the peak with the server's shared buffers (VmHWM), and the peak of what is the process's own. */
  peak: number;
  own: number;
  /** Seconds by table or aggregate; `reading`: no write lock yet. */
  seconds: Map<string, number>;
};

export function watchBackends(target: DatabaseAddress): { end(): Promise<Busy> } {
  const sql = connect(target, { name: 'bench' });
  const busy: Busy = { peak: 0, own: 0, seconds: new Map() };
  let over = false;
  let last = performance.now();
  const look = async () => {
    const rows = await sql<{ pid: number; writes: string | null }[]>`
      select a.pid, min(coalesce(level.user_view_name, h.table_name)) as writes
      from pg_stat_activity a
      left join pg_locks l on l.pid = a.pid and l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.database = a.datid
      left join pg_class c on c.oid = l.relation
      left join _timescaledb_catalog.hypertable h
        on h.table_name = c.relname and h.schema_name::text = c.relnamespace::regnamespace::text and h.table_name not like '\_compressed%'
      left join _timescaledb_catalog.continuous_agg level on level.mat_hypertable_id = h.id
      where a.datname = current_database() and a.backend_type = 'client backend' and a.state = 'active'
        and a.application_name not in ('bench', 'airseries read')
      group by 1`;
    const now = performance.now();
    for (const { pid, writes } of rows) {
      const name = writes ?? 'reading';
      busy.seconds.set(name, (busy.seconds.get(name) ?? 0) + (now - last) / 1_000);
      const memory = memoryOf(pid);
      busy.peak = Math.max(busy.peak, memory('VmHWM'));
      busy.own = Math.max(busy.own, memory('RssAnon'));
    }
    last = now;
  };
  const watching = (async () => {
    while (!over) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  watching.catch(() => undefined); // it is awaited at the end
  return {
    async end() {
      over = true;
      await watching.finally(() => sql.end({ timeout: 1 }));
      return busy;
    },
  };
}

function memoryOf(pid: number): (line: string) => number {
  let status = '';
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    // it has ended since
  }
  return (line) => Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1_024;
}
