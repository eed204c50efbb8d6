/**
 * Cuts a JSON array into its elements while it comes in, so that what is parsed and held at once is an element and never the document.
 * Nothing but strings and brackets is looked at here; JSON.parse has the last word on each element. What is too long or too deep for a
 * reading it never sees: brackets in brackets cost it many times the time and the memory of their text.
 */

import { LONGEST_LINE } from './lines.ts';
import { DEEPEST } from './object.ts';

export type Element = {
  /** Of one that is too long or too deep: the beginning. */
  text: string;
  unparsable?: true;
  /** The document is no array, and this is all of it. */
  alone?: true;
};

/** What is kept of an element that is too long or too deep. In bytes. */
const KEPT = 2_000;

const [QUOTE, COMMA, OPEN, BACKSLASH, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = [...Buffer.from('",[\\]{}')];
const SPACE = 32;
/** A byte order mark is tolerated. */
const MARK = Buffer.from('\ufeff');

/** Yields the elements that end in one piece at a time. Throws SyntaxError where the array itself is at fault. */
export async function* splitElements(pieces: AsyncIterable<Buffer>): AsyncGenerator<Element[]> {
  let isArray: boolean | undefined; // undefined: nothing but blanks yet
  let closed = false;
  let [inString, escaped] = [false, false];
  let [depth, deepest] = [0, 0]; // within the element
  let kept: Buffer[] = []; // the beginning of an element whose end has not come yet
  let length = 0; // of all of it
  let count = 0;

  const take = (end: Buffer): Element => {
    const unparsable = length + end.length > LONGEST_LINE || deepest > DEEPEST;
    const bytes = Buffer.concat([...kept, end]);
    const text = (unparsable ? bytes.subarray(0, KEPT) : bytes).toString('utf8');
    [kept, length, deepest] = [[], 0, 0];
    count += 1;
    return { text, ...(unparsable && { unparsable }), ...(!isArray && { alone: true }) };
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
        if (length === 0 && start === at) start = at + 1; // blanks before an element are not part of it
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
    if (length <= LONGEST_LINE && rest.length > 0) kept.push(rest);
    length += rest.length;
    if (elements.length > 0) yield elements;
  }
  if (isArray !== false && !closed) throw new SyntaxError('it is cut off');
  if (!isArray) yield [take(Buffer.alloc(0))];
}
