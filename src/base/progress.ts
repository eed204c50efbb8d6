/**
 * Progress of long work: one line that is redrawn on a terminal, or a log line every five seconds
 * elsewhere.
 */
import type { Done, Log } from './log.ts';

export type Progress = {
  /**
   * May be called for every row. `part` is the fraction done, from 0 to 1; undefined if the total
   * is unknown, as for a pipe.
   */
  show(done: number, part: number | undefined): void;
  /** Clears the line, for other output and at the end. */
  hide(): void;
};

/** `after importing 120,000 rows`, for the user who interrupts it. */
export const describeProgress = ({ what, done, unit }: Done): string =>
  `after ${what} ${done.toLocaleString('en')} ${unit}`;

/** Work that takes less than this needs no line. */
const FIRST_MS = 1_000;
const TERMINAL_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 5_000;

/**
 * `what` is the work, such as `importing`; `terminal`, whether a person watches stderr; `unit`,
 * what is counted.
 */
export function makeProgress(
  what: string,
  log: Log,
  terminal: boolean,
  unit: Done['unit'] = 'rows',
): Progress {
  const started = performance.now();
  let lastShown = terminal ? started + FIRST_MS - TERMINAL_INTERVAL_MS : started;
  let visible = false;
  const hide = () => {
    if (visible) process.stderr.write('\r\x1b[K');
    visible = false;
  };
  return {
    hide,
    show(done, part) {
      log.onProgress?.({ what, done, unit });
      const now = performance.now();
      if (now - lastShown < (terminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS)) return;
      lastShown = now;
      const seconds = (now - started) / 1_000;
      const rate = Math.round(done / seconds);
      const left =
        part === undefined || part <= 0 ? undefined : Math.ceil((seconds * (1 - part)) / part);
      if (!terminal) {
        log.info(
          {
            [unit]: done,
            [`${unit}_per_second`]: rate,
            ...(left === undefined ? {} : { seconds_left: left }),
          },
          what,
        );
        return;
      }
      hide();
      const rest = left === undefined ? '' : `, ${duration(left)} left`;
      process.stderr.write(
        `${what}: ${done.toLocaleString('en')} ${unit}, ${rate.toLocaleString('en')} a second${rest}`,
      );
      visible = true;
    },
  };
}

/** `1:02:03` or `2:03`. */
function duration(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
