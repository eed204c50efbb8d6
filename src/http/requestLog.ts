/**
 * A log for what requests may cause, and may cause a thousand times a second: of a message that comes again within a second only the last
 * is logged when the second is over, with how many were left out. In the order in which they came last, so that the last word is true.
 */
import type { Log } from '../log.ts';

const WINDOW_MS = 1_000;

type Level = 'info' | 'warn' | 'error';
type Held = { fields: object; times: number; write(fields: object): void };

/** Debug lines pass: whoever asks for them wants every one. */
export function boundedLog(log: Log): Log {
  const held = new Map<string, Held>();
  const seen = new Set<string>();
  let isOpen = false;

  function beginWindow(): void {
    if (!isOpen) setTimeout(endWindow, WINDOW_MS).unref();
    isOpen = true;
  }

  function endWindow(): void {
    isOpen = false;
    seen.clear();
    for (const [kind, { fields, times, write }] of held) {
      seen.add(kind);
      write(times === 1 ? fields : { ...fields, left_out: times - 1 });
    }
    if (held.size > 0) beginWindow();
    held.clear();
  }

  const bounded = (level: Level) => (first: string | object, second?: string) => {
    const [fields, message] = typeof first === 'string' ? [{}, first] : [first, second ?? ''];
    const write = (all: object) => log[level](all, message);
    const kind = `${level} ${message}`;
    if (!seen.has(kind)) {
      seen.add(kind);
      beginWindow();
      return write(fields);
    }
    const times = (held.get(kind)?.times ?? 0) + 1;
    held.delete(kind);
    held.set(kind, { fields, times, write });
  };
  return { debug: log.debug.bind(log), info: bounded('info'), warn: bounded('warn'), error: bounded('error') } as Log;
}
