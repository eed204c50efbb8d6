/** Structured log lines on stderr, so that stdout stays free for a command's result. */
import { pino } from 'pino';

export type Log = {
  debug(message: string): void;
  debug(fields: object, message: string): void;
  info(message: string): void;
  info(fields: object, message: string): void;
  warn(message: string): void;
  warn(fields: object, message: string): void;
  error(message: string): void;
  error(fields: object, message: string): void;
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** JSON lines for machines; short plain lines when a person watches a terminal. */
export function makeLog(level: LogLevel, terminal = process.stderr.isTTY === true): Log {
  if (!terminal) return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const threshold = LOG_LEVELS.indexOf(level);
  const line = (of: LogLevel) => (first: string | object, second?: string) => {
    if (LOG_LEVELS.indexOf(of) < threshold) return;
    const [fields, message] = typeof first === 'string' ? [undefined, first] : [first, second ?? ''];
    const mark = of === 'info' ? '' : `${of}: `;
    const text = fields === undefined ? '' : `  ${plain(fields)}`;
    process.stderr.write(`${mark}${message}${text}\n`);
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

function plain(fields: object): string {
  const parts = Object.entries(fields).map(([key, value]) => {
    const text = value instanceof Error ? value.message : typeof value === 'string' ? value : JSON.stringify(value);
    return `${key}=${text}`;
  });
  return parts.join(' ');
}
