/**
 * Bytes that are not UTF-8: what a message says of them. Nothing is stored by what they probably
 * mean; who knows more encodings names them.
 */
import { isUtf8 } from 'node:buffer';
import { InputError } from '../../base/inputError.ts';

export type Encoding = {
  /** As the Encoding Standard of the web has it: `windows-1251`. */
  name: string;
  /** As in "this is text in cp1251, as Windows writes Cyrillic". */
  what: string;
  remedy: string;
  /** The text of bytes in it. */
  decode(bytes: Buffer): string;
};

/** The encoding of bytes in which decoding as UTF-8 has replaced some. */
export type Recognize = (bytes: Buffer) => Encoding;

/** The only encoding that is read. */
export const UTF_8 = 'utf-8';

const UNKNOWN: Encoding = {
  name: 'unknown',
  what: 'text that is not UTF-8',
  remedy: 'Save it as UTF-8',
  decode: (bytes) => bytes.toString('utf8'),
};

/** In UTF-8: another program has put the sign for a lost character in its place. */
export const LOST: Encoding = {
  name: UTF_8,
  what: 'text that has lost characters, each now a �',
  remedy: 'Save it as UTF-8 where it was made: they cannot be restored',
  decode: (bytes) => bytes.toString('utf8'),
};

/** Stands in decoded text for bytes that are not UTF-8. */
export const REPLACED = '\ufffd';

/** Names no other encoding. */
export const recognizeNone: Recognize = (bytes) => (isUtf8(bytes) ? LOST : UNKNOWN);

/** The encoding of one line of such bytes, which may have lost characters before. */
export const encodingOfLine = (line: Buffer, ofAll: Encoding): Encoding =>
  isUtf8(line) ? LOST : ofAll;

/** How much of a line a message shows. */
const SHOWN = 80;

/** The error for a source that is not UTF-8, with a line of it: `this is text in cp1251 ("датчик")`. */
export const notUtf8 = (input: string, { what, remedy }: Encoding, line: string): InputError =>
  new InputError(input, `this is ${what} (${JSON.stringify(line.slice(0, SHOWN))})`, `${remedy}.`);

/** Why a row is refused that is not UTF-8. */
export const explainEncoding = ({ what, remedy }: Encoding): string => `it is ${what}. ${remedy}`;
