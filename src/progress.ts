/** How far long work is: one line that renews itself where a person watches, a log line every few seconds elsewhere. */
import type { Log } from './log.ts';

export type Progress = {
  /** `part`: how much of the work is done, from 0 to 1; unknown for a pipe. */
  show(rows: number, part: number | undefined): void;
  /** Makes room on the terminal for a line of somebody else's. */
  hide(): void;
};

const ON_TERMINAL_MS = 200;
const IN_LOG_MS = 5_000;

export function makeProgress(what: string, log: Log, terminal: boolean): Progress {
  const started = performance.now();
  let shown = terminal ? 0 : started;
  let visible = false;
  const hide = () => {
    if (visible) process.stderr.write('\r\x1b[K');
    visible = false;
  };
  return {
    hide,
    show(rows, part) {
      const now = performance.now();
      if (now - shown < (terminal ? ON_TERMINAL_MS : IN_LOG_MS)) return;
      shown = now;
      const seconds = (now - started) / 1_000;
      const rate = Math.round(rows / seconds);
      const left = part === undefined || part <= 0 ? undefined : Math.ceil((seconds * (1 - part)) / part);
      if (!terminal) {
        log.info({ rows, rows_per_second: rate, ...(left === undefined ? {} : { seconds_left: left }) }, what);
        return;
      }
      hide();
      const rest = left === undefined ? '' : `, ${clock(left)} left`;
      process.stderr.write(`${what}: ${rows.toLocaleString('en')} rows, ${rate.toLocaleString('en')} a second${rest}`);
      visible = true;
    },
  };
}

function clock(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
