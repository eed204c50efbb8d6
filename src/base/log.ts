/** The log: structured lines on stderr, because stdout is for a command's result. */
import { pino, stdSerializers } from 'pino';
import { printable, printableLine } from './printable.ts';

export type Log = {
  debug(message: string): void;
  debug(fields: object, message: string): void;
  info(message: string): void;
  info(fields: object, message: string): void;
  warn(message: string): void;
  warn(fields: object, message: string): void;
  error(message: string): void;
  error(fields: object, message: string): void;
  /** True if lines of a level are written at all; absent: unknown. */
  isLevelEnabled?(level: LogLevel): boolean;
};

/** From the most lines to none. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * JSON lines, or short plain ones on a terminal. An error is passed as the field `err`: JSON has
 * its message, stack and code (the SQLSTATE if it came from the database); a plain line has message
 * and code, and at level debug the stack follows.
 */
export function makeLog(level: LogLevel, terminal = process.stderr.isTTY === true): Log {
  if (!terminal) {
    const options = { level, base: null, serializers: { err: serializeError } };
    return pino(options, pino.destination({ dest: 2, sync: true }));
  }
  const threshold = LOG_LEVELS.indexOf(level);
  const line = (of: LogLevel) => (first: string | object, second?: string) => {
    if (LOG_LEVELS.indexOf(of) < threshold) return;
    const [fields, message] = typeof first === 'string' ? [{}, first] : [first, second ?? ''];
    const prefix = of === 'info' ? '' : `${of}: `;
    const text = [printable(message), ...plain(fields, message)].join('  ');
    process.stderr.write(`${prefix}${text}\n`);
    const { err } = fields as { err?: unknown };
    if (level === 'debug' && err instanceof Error)
      process.stderr.write(`${printable(err.stack ?? '')}\n`);
  };
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    isLevelEnabled: (of) => LOG_LEVELS.indexOf(of) >= threshold,
  };
}

function serializeError(error: Error): object {
  const code = codeOf(error);
  return { ...stdSerializers.err(error), ...(code === undefined ? {} : { code }) };
}

/** The code of the error or, if it has none, of its cause. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? undefined : codeOf(cause);
}

/** The fields as `key=value`. */
function plain(fields: object, message: string): string[] {
  const parts = Object.entries(fields).flatMap(([key, value]) => {
    if (!(value instanceof Error))
      return `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
    const code = codeOf(value);
    return [
      ...(value.message === message ? [] : [`${key}=${value.message}`]), // otherwise the line would have it twice
      ...(code === undefined ? [] : [`code=${code}`]),
    ];
  });
  return parts.length === 0 ? [] : [printableLine(parts.join(' '))];
}

const WINDOW_MS = 1_000;

type Level = 'info' | 'warn' | 'error';
type Held = { fields: object; times: number; write(fields: object): void };

/**
 * A log for request handlers, which might repeat a message a thousand times a second. A message is
 * logged at once; of its repetitions within the next second, only the last is logged, at the end of
 * that second, with the number of those suppressed. Debug lines are not limited.
 */
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
  return {
    debug: log.debug.bind(log),
    info: bounded('info'),
    warn: bounded('warn'),
    error: bounded('error'),
    isLevelEnabled: (level) => log.isLevelEnabled?.(level) !== false,
  };
}
