/** Rows that are objects: one a line, the elements of a JSON array, or a document. */
import { InputError } from '../../base/inputError.ts';
import type { Encoding, Recognize } from './encoding.ts';
import { isObject, isTooDeep, splitElements } from './json.ts';
import { type Line, LONGEST_LINE } from './lines.ts';
import {
  makeObjectReader,
  type ObjectReader,
  outsideQuotes,
  type Row,
  type Unreadable,
} from './row.ts';

/** The rows that end in one chunk of a source. */
export type Rows = {
  rows: (Row | Unreadable)[];
  lastLine: number;
  /** How many characters they took. */
  text: number;
};

export const HEADER_OR_OBJECTS = 'Needed is CSV with a header line, or one JSON object a line.';

const TOO_LONG = 'it is longer than 64 KiB or nested too deeply';

/** A line with one JSON object. */
export function rowOfObject(line: Line, read: ObjectReader): Row | Unreadable {
  const { number, text, tooLong, encoding } = line;
  if (tooLong || isTooDeep(text)) return { unreadable: true, text, line: number, why: TOO_LONG };
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return inEncoding(read(value, text, number), encoding);
    if (Array.isArray(value)) return { unreadable: true, text, line: number, why: A_LIST };
  } catch {
    // as below
  }
  return {
    unreadable: true,
    text,
    line: number,
    why: isNotANumber(text) ? NOT_A_NUMBER : undefined,
  };
}

/** The same row, which says that its bytes are not UTF-8. */
function inEncoding<T extends Row | Unreadable>(row: T, encoding: Encoding | undefined): T {
  return encoding === undefined ? row : { ...row, encoding };
}

/** Python writes NaN and Infinity, and printf nan and inf, which JSON does not have. */
const isNotANumber = (text: string) => /\b(?:nan|inf|infinity)\b/i.test(outsideQuotes(text));
const NOT_A_NUMBER = 'it has NaN or Infinity, which is not JSON: write null';

const A_LIST =
  "it is a list, and a row is an object: name its fields, as jq -c '.[] | {sensor_id: .[0], time: .[1], pm25: .[2]}' does, or with pandas write it with orient='records', lines=True";

/**
 * Reads a JSON array element by element, or one object of up to `largestObject` bytes. Rejects with
 * InputError for a broken document.
 */
export async function* readDocument(
  bytes: AsyncIterable<Buffer>,
  name: string,
  largestObject: number,
  recognize?: Recognize,
): AsyncGenerator<Rows> {
  const read = makeObjectReader();
  let count = 0;
  try {
    for await (const elements of splitElements(bytes, largestObject, recognize)) {
      const rows: Rows['rows'] = [];
      let characters = 0;
      for (const { text, unparsable, alone, encoding } of elements) {
        count += 1;
        characters += text.length;
        if (unparsable !== undefined && alone) {
          throw new InputError(
            name,
            `this is one JSON document, and ${unparsable}`,
            "Make it one object a line, with jq: jq -c '.results[]' OLD > NEW.",
          );
        }
        if (unparsable !== undefined) {
          rows.push({ unreadable: true, text, line: count, why: unparsable });
          continue;
        }
        const value = yield* parsed(text, { rows, lastLine: count, text: characters });
        // on one line, for the quarantine
        const written = text.length > LONGEST_LINE ? text : JSON.stringify(value);
        rows.push(
          isObject(value)
            ? inEncoding(read(value, written, count), encoding)
            : {
                unreadable: true,
                text: written,
                line: count,
                why: Array.isArray(value) ? A_LIST : undefined,
              },
        );
      }
      yield { rows, lastLine: count, text: characters };
    }
    yield { rows: [], lastLine: count, text: 0 }; // an empty array is no empty file
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw Object.assign(
      new InputError(
        `${name}, after element ${count}`,
        `invalid JSON (${error.message})`,
        HEADER_OR_OBJECTS,
      ),
      { cause: error },
    );
  }
}

/** The value of an element. Before it throws for an invalid one, it yields the rows before. */
function* parsed(text: string, before: Rows): Generator<Rows, unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    yield before;
    throw isNotANumber(text) ? new SyntaxError(NOT_A_NUMBER) : error;
  }
}

/** True if this is the beginning of one JSON document, rather than of an object a line or CSV. */
export function isDocument(start: Buffer): boolean {
  const [line = '', more] = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
    .split('\n', 2);
  if (line.startsWith('[')) return true;
  return (
    line.startsWith('{') &&
    ('{[,:'.includes(line.trimEnd().at(-1) ?? '') ||
      (more === undefined && start.length > LONGEST_LINE))
  );
}
