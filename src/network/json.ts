/**
 * JSON with the line of every element, for messages to the person who wrote the file by hand.
 * Comments and commas before a closing bracket are allowed; a missing comma does not end the
 * parsing, and of two equal keys neither is dropped silently.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { withoutSecrets } from './messages.ts';

type LocatedJson = {
  /** Undefined: the text could not be parsed to its end. */
  value: unknown;
  slips: { line: number; message: string }[];
  /** The line of an element such as `stations[3].id`, or of the nearest element around it. */
  lineOf(position: string): number | undefined;
};

/** Levels; a network has seven. */
const DEEPEST = 32;

/** Never throws. */
export function parseLocated(text: string): LocatedJson {
  const lines = new Map<string, number>();
  const slips = new Map<number, string>(); // the first of each line; others may follow from it
  const lineOfOffset = linesOf(text);
  const lineAt = (offset: number) => lineOfOffset[offset] ?? 1;
  const slip = (offset: number, message: string) => {
    if (!slips.has(lineAt(offset))) slips.set(lineAt(offset), message);
  };

  const read = (node: Node, position: string, depth = 0): unknown => {
    if (depth > DEEPEST) throw new RangeError();
    lines.set(position, lineAt(node.offset));
    const children = node.children ?? [];
    if (node.type === 'array')
      return children.map((child, index) => read(child, `${position}[${index}]`, depth + 1));
    if (node.type !== 'object') return node.value;
    const entries = new Map<string, unknown>();
    for (const { children: [key, value] = [] } of children) {
      const name: string = key?.value;
      if (entries.has(name))
        slip(
          key?.offset ?? 0,
          `${JSON.stringify(name)} is there twice in one object: remove one of the two`,
        );
      // the schema would pass over it
      if (name === '__proto__') slip(key?.offset ?? 0, '"__proto__" is not a valid key: remove it');
      if (value !== undefined)
        entries.set(name, read(value, position === '' ? name : `${position}.${name}`, depth + 1));
    }
    return Object.fromEntries(entries);
  };

  let value: unknown;
  try {
    const errors: ParseError[] = [];
    const tree = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true });
    for (const { error, offset, length } of errors)
      slip(
        offset,
        `${wording(printParseErrorCode(error), text.slice(offset, offset + length))}${pointHint(text, offset)}`,
      );
    const isComplete = errors.every(({ error }) => printParseErrorCode(error) === 'CommaExpected');
    if (tree !== undefined && isComplete) value = read(tree, '');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // RangeError: the stack overflowed
    slip(0, 'it is nested too deeply');
  }
  const lineOf = (position: string): number | undefined => {
    const around = position.replace(/\.[^.[]*$|\[\d+\]$|^[^.[]*$/, '');
    return lines.get(position) ?? (around === position ? undefined : lineOf(around));
  };
  return { value, slips: [...slips].map(([line, message]) => ({ line, message })), lineOf };
}

/** The number to write instead of `44,51` where its fraction begins at the offset; else nothing. */
function pointHint(text: string, offset: number): string {
  const [, whole] = /(-?\d+),$/.exec(text.slice(Math.max(0, offset - 12), offset)) ?? [];
  const [fraction] = /^\d+/.exec(text.slice(offset, offset + 20)) ?? [];
  return whole === undefined || fraction === undefined
    ? ''
    : `; write ${whole}.${fraction}, with a point`;
}

/** The parser's code, such as CommaExpected, as words: `expected a comma, found "device"`. */
function wording(code: string, text: string): string {
  const found = text === '' ? 'the end of the file' : withoutSecrets(text).slice(0, 40);
  const words = code.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  const [, expected] = words.match(/^(.*) expected$/) ?? [];
  return expected === undefined
    ? `${words}: ${found}`
    : `expected ${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}, found ${found}`;
}

/** The line of every offset, the end included, counted from 1. */
function linesOf(text: string): Uint32Array {
  const lines = new Uint32Array(text.length + 1);
  let line = 1;
  for (let offset = 0; offset <= text.length; offset++) {
    lines[offset] = line;
    if (text[offset] === '\n') line += 1;
  }
  return lines;
}
