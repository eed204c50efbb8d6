/** How far a long load is: one line that rewrites itself where a person watches, a log line now and then elsewhere. */
import type { Log } from '../log.ts';

export type Progress = { report(rows: number, part: number): void; done(rows: number): void };

export function showProgress({ what, log, terminal }: { what: string; log: Log; terminal: boolean }): Progress {
  const start = performance.now();
  const every = terminal ? 200 : 3_000;
  let shown = start;
  const seconds = () => (performance.now() - start) / 1_000;
  return {
    report(rows, part) {
      if (performance.now() - shown < every || part <= 0) return;
      shown = performance.now();
      const left = Math.ceil((seconds() * (1 - part)) / part);
      const rate = Math.round(rows / seconds());
      if (terminal) {
        const text = `${what}: ${Math.floor(part * 100)} %, ${rows} rows, ${rate} rows/s, ${left} s left`;
        process.stderr.write(`\r${text.padEnd(79)}`);
      } else {
        log.info({ rows, rows_per_second: rate, seconds_left: left }, what);
      }
    },
    done(rows) {
      if (terminal) process.stderr.write(`\r${' '.repeat(79)}\r`);
      log.info({ rows, seconds: Math.round(seconds() * 10) / 10 }, `${what}: done`);
    },
  };
}
