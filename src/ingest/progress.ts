/** Shows how far an import is: one line that renews itself on a terminal, a log line every ten seconds elsewhere. */
import type { Log } from '../log.ts';

export type Progress = {
  /** `read` and `total` in bytes; the total of a pipe is unknown. */
  show(rows: number, read: number, total: number | undefined): void;
  /** Makes room on the terminal for a line of somebody else's. */
  hide(): void;
};

const ON_TERMINAL_MS = 200;
const IN_LOG_MS = 10_000;

export function makeProgress(log: Log, terminal: boolean): Progress {
  const started = performance.now();
  let shown = terminal ? 0 : started;
  let visible = false;
  const hide = () => {
    if (visible) process.stderr.write('\r\x1b[K');
    visible = false;
  };
  return {
    hide,
    show(rows, read, total) {
      const now = performance.now();
      if (now - shown < (terminal ? ON_TERMINAL_MS : IN_LOG_MS)) return;
      shown = now;
      const seconds = (now - started) / 1_000;
      const rate = Math.round(rows / seconds);
      const left = total === undefined || read === 0 ? undefined : Math.ceil((seconds * (total - read)) / read);
      if (!terminal) {
        log.info({ rows, rows_per_second: rate, ...(left === undefined ? {} : { seconds_left: left }) }, 'importing');
        return;
      }
      hide();
      const rest = left === undefined ? '' : `, ${clock(left)} left`;
      process.stderr.write(`${rows.toLocaleString('en')} rows, ${rate.toLocaleString('en')} a second${rest}`);
      visible = true;
    },
  };
}

function clock(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
