/** The log: structured lines on stderr, because stdout is for a command's result. */
import { styleText } from 'node:util';
import { pino, stdSerializers, stdTimeFunctions } from 'pino';
import { printable, printableLine, wrapped } from './printable.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/** Levels, from the most lines to none. */
export const LOG_LEVELS = [...LEVELS, 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

type Write = {
  (message: string): void;
  (fields: object, message: string): void;
};

export type Log = Record<Level, Write> & {
  /** True if lines of a level are written at all; absent: unknown. */
  isLevelEnabled?(level: LogLevel): boolean;
  /** Is told of long work as it goes on, whatever is shown of it. */
  onProgress?(done: Done): void;
};

/** The number of `rows` or `hours` done so far, of work such as `importing`. */
export type Done = { what: string; done: number; unit: 'rows' | 'hours' };

/** A log whose levels are all written by one function. */
function logOf(
  write: (level: Level, fields: object, message: string) => void,
  isLevelEnabled: (level: LogLevel) => boolean,
): Log {
  const levels = LEVELS.map((level): [Level, Write] => [
    level,
    (first: string | object, second?: string) =>
      typeof first === 'string' ? write(level, {}, first) : write(level, first, second ?? ''),
  ]);
  return { ...(Object.fromEntries(levels) as Record<Level, Write>), isLevelEnabled };
}

/**
 * JSON lines with the time in ISO 8601 and the level as a word, or short plain ones on a terminal.
 * An error is passed as the field `err`: JSON has its message, stack and code (the SQLSTATE if it
 * came from the database); a plain line has message and code, and at level debug the stack follows.
 */
export function makeLog(level: LogLevel, terminal = process.stderr.isTTY === true): Log {
  if (!terminal) {
    const options = {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (name: string) => ({ level: name }) },
      serializers: { err: serializeError },
    };
    const stderr = pino.destination({ dest: 2, sync: true });
    // JSON escapes C0 alone, and people read these lines on terminals
    const json = pino(options, { write: (line: string) => stderr.write(printable(line)) });
    return logOf(
      (of, fields, message) => json[of](fields, message),
      (of) => json.isLevelEnabled(of),
    );
  }
  const threshold = LOG_LEVELS.indexOf(level);
  const isEnabled = (of: LogLevel) => LOG_LEVELS.indexOf(of) >= threshold;
  return logOf((of, fields, message) => {
    if (!isEnabled(of)) return;
    const text = [printable(message), ...plain(fields, message)].join('  ');
    process.stderr.write(`${terminalText(text, of)}\n`);
    const { err } = fields as { err?: unknown };
    if (level === 'debug' && err instanceof Error)
      process.stderr.write(`${printable(err.stack ?? '')}\n`);
  }, isEnabled);
}

type Style = 'bold' | 'dim' | 'red' | 'yellow';
/** Properties that only a terminal has. */
type Terminal = { columns?: number | undefined; hasColors?(): boolean };

/**
 * A text as stderr shows it: on a terminal in lines of its width, with a coloured level; one that
 * says that the service is ready in bold. NO_COLOR leaves that out.
 */
export function terminalText(
  text: string,
  level: LogLevel,
  terminal: Terminal = process.stderr,
): string {
  const prefix = level === 'info' ? '' : `${level}: `;
  const { columns = 0 } = terminal;
  const inWidth = (line: string) => {
    if (columns < NARROWEST) return line;
    const blanks = line.search(/\S|$/);
    const indent = blanks + INDENT;
    return line.slice(0, blanks) + wrapped(line.slice(blanks), columns - indent, indent);
  };
  const lines = `${prefix}${text}`.split('\n').map(inWidth).join('\n');
  // hasColors obeys NO_COLOR in every Node; styleText itself does not yet in Node 20
  const look = (styles: Style[], part: string) =>
    terminal.hasColors?.() ? styleText(styles, part, { validateStream: false }) : part;
  if (level === 'info') return /^ready\b/.test(text) ? look(['bold'], lines) : lines;
  const colour = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'dim';
  return look(['bold', colour], prefix.trimEnd()) + lines.slice(prefix.length - 1);
}

/** Blanks before the further lines of a text. */
const INDENT = 2;
/** Fewer columns mean that the terminal has not said its width. */
const NARROWEST = 20;

/** The same log with `info` at level debug, for lines that are not news to a command. */
export function quietLog(log: Log): Log {
  const quiet = <Any extends LogLevel>(level: Any) => (level === 'info' ? 'debug' : level);
  return logOf(
    (level, fields, message) => log[quiet(level)](fields, message),
    (level) => log.isLevelEnabled?.(quiet(level)) !== false,
  );
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

  function writeBounded(level: Level, fields: object, message: string): void {
    const write = (all: object) => log[level](all, message);
    const kind = `${level} ${message}`;
    if (level === 'debug' || !seen.has(kind)) {
      write(fields);
      if (level === 'debug') return;
      seen.add(kind);
      beginWindow();
      return;
    }
    const times = (held.get(kind)?.times ?? 0) + 1;
    held.delete(kind);
    held.set(kind, { fields, times, write });
  }
  return logOf(writeBounded, (level) => log.isLevelEnabled?.(level) !== false);
}
