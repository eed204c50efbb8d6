/** Structured log lines on stderr, so that stdout stays free for a command's result. */
import { pino, stdSerializers } from 'pino';

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

/**
 * JSON lines for machines; short plain lines when a person watches a terminal. An error goes in as the field `err`: machines get its
 * message, stack and code (the SQLSTATE where the database sent it); a person gets message and code, and the stack at level debug.
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
    const mark = of === 'info' ? '' : `${of}: `;
    process.stderr.write(`${mark}${[message, ...plain(fields, message)].join('  ')}\n`);
    const { err } = fields as { err?: unknown };
    if (level === 'debug' && err instanceof Error) process.stderr.write(`${err.stack}\n`);
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

function serializeError(error: Error): object {
  const code = codeOf(error);
  return { ...stdSerializers.err(error), ...(code === undefined ? {} : { code }) };
}

/** Of the error, or else of what caused it. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? undefined : codeOf(cause);
}

function plain(fields: object, message: string): string[] {
  const parts = Object.entries(fields).flatMap(([key, value]) => {
    if (!(value instanceof Error)) return `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
    const code = codeOf(value);
    return [
      ...(value.message === message ? [] : [`${key}=${value.message}`]), // some messages are the error's own
      ...(code === undefined ? [] : [`code=${code}`]),
    ];
  });
  return parts.length === 0 ? [] : [parts.join(' ')];
}
