/**
 * Splits a JSON array into its elements as it arrives. JSON.parse sees one element at a time, never
 * the document, and nothing that is too long or too deeply nested: nested brackets cost it many
 * times the time and memory of their text.
 */
import { type Encoding, REPLACED, type Recognize, recognizeNone } from './encoding.ts';
import { EXCERPT_LENGTH, LONGEST_LINE } from './lines.ts';

export type Element = {
  /** Only the beginning of an element that is not to be parsed. */
  text: string;
  /** Says that it is too long, or too deeply nested, to be parsed. */
  unparsable?: string;
  /** The document is no array, and this is all of it. */
  alone?: true;
  /** Its bytes are not UTF-8: its text is what they probably mean. */
  encoding?: Encoding;
};

const [QUOTE, COMMA, OPEN, BACKSLASH, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = [
  ...Buffer.from('",[\\]{}'),
];
const SPACE = 32;
/** A byte order mark. */
const MARK = Buffer.from('\ufeff');

/**
 * Yields the elements that end in one piece at a time. Looks only at strings and brackets, so an
 * element may still be invalid JSON. Rejects with SyntaxError where the array itself is malformed,
 * and as `pieces` does. A document that is no array may have `longestAlone` bytes.
 */
export async function* splitElements(
  pieces: AsyncIterable<Buffer>,
  longestAlone = LONGEST_LINE,
  recognize: Recognize = recognizeNone,
): AsyncGenerator<Element[]> {
  let isArray: boolean | undefined; // undefined: nothing but blanks yet
  let closed = false;
  let inString = false;
  let escaped = false;
  let depth = 0;
  let deepest = 0; // within the element
  let kept: Buffer[] = []; // the beginning of an element whose end has not come yet
  let length = 0; // of the whole element, also where only its beginning is kept
  let count = 0;

  const longest = () => (isArray === false ? longestAlone : LONGEST_LINE);
  const take = (end: Buffer): Element => {
    const isTooLong = length + end.length > longest();
    const unparsable = isTooLong
      ? `it is longer than ${longest() / 1_024} KiB`
      : deepest > DEEPEST && TOO_DEEP;
    const bytes = Buffer.concat([...kept, end]);
    const part = unparsable ? bytes.subarray(0, EXCERPT_LENGTH) : bytes;
    const plain = part.toString('utf8');
    const encoding = !unparsable && plain.includes(REPLACED) ? recognize(part) : undefined;
    const text = encoding?.decode(part) ?? plain;
    kept = [];
    length = 0;
    deepest = 0;
    count += 1;
    return {
      text,
      ...(unparsable && { unparsable }),
      ...(!isArray && { alone: true }),
      ...(encoding !== undefined && { encoding }),
    };
  };

  for await (const piece of pieces) {
    const elements: Element[] = [];
    let start = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] as number;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte <= SPACE || (isArray === undefined && MARK.includes(byte))) {
        // blanks before an element are not part of it
        if (length === 0 && start === at) start = at + 1;
      } else if (closed) {
        throw new SyntaxError('something follows its end');
      } else if (isArray === undefined) {
        isArray = byte === OPEN;
        if (isArray) start = at + 1;
        else at -= 1; // it is the beginning of the only element
      } else if (byte === QUOTE) {
        inString = true;
      } else if (byte === OPEN || byte === OPEN_OBJECT) {
        depth += 1;
        if (depth > deepest) deepest = depth;
      } else if (isArray && depth === 0 && (byte === COMMA || byte === CLOSE)) {
        const end = piece.subarray(start, at);
        closed = byte === CLOSE;
        if (!closed || count > 0 || length + end.length > 0) elements.push(take(end));
        start = at + 1;
      } else if (byte === CLOSE || byte === CLOSE_OBJECT) {
        depth -= 1;
        if (depth < 0) throw new SyntaxError('a bracket closes nothing');
      }
    }
    const rest = piece.subarray(start);
    if (length <= longest() && rest.length > 0) kept.push(rest);
    length += rest.length;
    if (elements.length > 0) yield elements;
  }
  if (isArray !== false && !closed) throw new SyntaxError('it is cut off');
  if (!isArray) yield [take(Buffer.alloc(0))];
}

/** True if a JSON value is an object, and no array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Levels of nesting; a reading has one, one of a feed three. */
export const DEEPEST = 32;

const TOO_DEEP = `it is nested more than ${DEEPEST} levels deep`;

/** True if brackets are nested more than DEEPEST levels. The text need not be valid JSON. */
export function isTooDeep(text: string): boolean {
  if (!text.includes('[') && !text.includes('{', 1)) return false; // most readings
  let depth = 0;
  for (const [match] of text.matchAll(STRING_OR_BRACKET)) {
    if (match === '[' || match === '{') depth += 1;
    if (match === ']' || match === '}') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** A string may lack its end: with the end optional, no character is looked at twice. */
const STRING_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{}]/gs;
