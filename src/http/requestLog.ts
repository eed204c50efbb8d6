/**
 * What requests may log, which may be a thousand times a second: of a message that comes again within a second only the last is logged
 * when the second is over, with how many were left out, in the order in which they came last; and one line for each request at debug level.
 */

import type { RequestHandler } from 'express';
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

const LONGEST = 200;

export function accessLog(log: Log): RequestHandler {
  return (req, res, next) => {
    const began = performance.now();
    res.once('close', () => {
      const ms = Math.round(performance.now() - began);
      const agent = req.get('User-Agent')?.slice(0, LONGEST);
      const path = req.path.slice(0, LONGEST);
      log.debug({ method: req.method, path, status: res.statusCode, ms, agent }, 'request');
    });
    next();
  };
}
