/**
 * Splits bytes into numbered lines, in turns of the event loop. Lines are split here rather than in
 * a parser of CSV or JSON, so a line of garbage costs only itself, and every message can name its
 * line.
 */
import { StringDecoder } from 'node:string_decoder';
import { setImmediate } from 'node:timers/promises';
import {
  type Encoding,
  encodingOfLine,
  REPLACED,
  type Recognize,
  recognizeNone,
} from './encoding.ts';

export type Line = {
  /** Counted from 1, blank lines included. */
  number: number;
  /** Without its line break; only the beginning if it is too long. */
  text: string;
  tooLong?: true;
  /** Its bytes are not UTF-8: its text is what they probably mean. */
  encoding?: Encoding;
};

/** Longer lines are not readings. In bytes. */
export const LONGEST_LINE = 65_536;
/**
 * How much is kept, for the quarantine, of text that is too long or too deeply nested to be a
 * reading.
 */
export const EXCERPT_LENGTH = 2_000;

/**
 * Yields the lines of one chunk at a time, because a call for each line would cost more than the
 * line. Blank lines are counted and left out; CRLF and a byte order mark are tolerated. Rejects as
 * `chunks` does.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  recognize: Recognize = recognizeNone,
): AsyncGenerator<Line[]> {
  const decoder = new StringDecoder('utf8'); // keeps back a character whose end has not come yet
  let number = 0;
  let rest = ''; // the beginning of a line whose end has not come yet
  let restBytes: Buffer[] = []; // the same, as it came
  let isReplaced = false; // a byte of it, or of the chunk, is not UTF-8

  const take = (complete: string[]): Line[] => {
    const lines: Line[] = [];
    for (const raw of complete) {
      number += 1;
      const unmarked = number === 1 && raw.startsWith('\ufeff') ? raw.slice(1) : raw;
      const text = unmarked.endsWith('\r') ? unmarked.slice(0, -1) : unmarked;
      const tooLong =
        text.length * 3 > LONGEST_LINE && Buffer.byteLength(text, 'utf8') > LONGEST_LINE;
      if (tooLong) lines.push({ number, text: text.slice(0, EXCERPT_LENGTH), tooLong });
      else if (text !== '') lines.push({ number, text });
    }
    return lines;
  };

  for await (const chunk of chunks) {
    const text = decoder.write(chunk);
    isReplaced ||= text.includes(REPLACED);
    const [first = '', ...more] = text.split('\n');
    const complete = [rest + first, ...more];
    rest = complete.pop()?.slice(0, KEPT_LENGTH) ?? '';
    const before = number;
    const lines = take(complete);
    if (isReplaced && complete.length > 0) {
      guessEncoding(lines, before, Buffer.concat([...restBytes, chunk]), recognize);
      isReplaced = rest.includes(REPLACED);
    }
    yield lines;
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= 0) restBytes = [];
    if (lengthOf(restBytes) < KEPT_LENGTH) restBytes.push(chunk.subarray(end + 1));
  }
  const last = take([rest + decoder.end()]);
  guessEncoding(last, number - 1, Buffer.concat(restBytes), recognize);
  yield last;
}

const NEWLINE = 10;
const lengthOf = (all: readonly Buffer[]) => all.reduce((sum, { length }) => sum + length, 0);
/** A byte order mark. */
const MARK = Buffer.from('\ufeff');

/** Reads lines again that are not UTF-8. `bytes`: what they came in, from the line after `before` on. */
function guessEncoding(
  lines: readonly Line[],
  before: number,
  bytes: Buffer,
  recognize: Recognize,
): void {
  const replaced = lines.filter(({ text }) => text.includes(REPLACED));
  if (replaced.length === 0) return;
  const parts = bytes.toString('latin1').split('\n');
  const encoding = recognize(bytes);
  for (const line of replaced) {
    const whole = Buffer.from(parts[line.number - before - 1] ?? '', 'latin1');
    const part = whole.subarray(0, MARK.length).equals(MARK) ? whole.subarray(MARK.length) : whole;
    line.encoding = encodingOfLine(part, encoding);
    const text = line.encoding.decode(line.tooLong ? part.subarray(0, EXCERPT_LENGTH) : part);
    line.text = text.endsWith('\r') ? text.slice(0, -1) : text;
  }
}

/**
 * The part of an unfinished line that is kept: enough to be too long even without a byte order mark
 * and a carriage return.
 */
const KEPT_LENGTH = LONGEST_LINE + 3;

/** In bytes: so small that the slowest work on it takes a few milliseconds. */
const PIECE = 16_384;

/**
 * The same bytes in pieces, each in a turn of the event loop of its own, so that however many
 * bodies arrive together, an answer waits for no more than one piece.
 */
export async function* inPieces(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let start = 0; start < bytes.length; start += PIECE) {
      await yieldToEventLoop();
      yield bytes.subarray(start, start + PIECE);
    }
  }
}

// one queue, because there is one event loop
let last: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller was given. */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}
