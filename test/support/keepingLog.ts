/** A log whose lines a test reads. */
import type { Log } from '../../src/base/log.ts';

type Line = { level: string; message: string; fields: object };

/** A log that keeps its lines. */
export function keepingLog(): Log & { lines: Line[] } {
  const lines: Line[] = [];
  const keep =
    (level: string) =>
    (first: string | object, second?: string): void => {
      if (typeof first === 'string') lines.push({ level, message: first, fields: {} });
      else lines.push({ level, message: second ?? '', fields: first });
    };
  return {
    lines,
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
}
