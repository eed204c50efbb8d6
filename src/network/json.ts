/**
 * JSON with the line of every element, for messages to the person who wrote the file by hand: JSON.parse names an offset at best, stops
 * at the first mistake and takes the last of two equal keys. Common slips (a comma too many or too few, comments) do not end the parsing.
 */

type LocatedJson = {
  /** Undefined: the text could not be parsed to its end. */
  value: unknown;
  slips: { line: number; message: string }[];
  /** The line of an element such as `stations[3].id`, or of the nearest element around it. */
  lineOf(position: string): number | undefined;
};

/** Levels; a network has seven. */
const DEEPEST = 32;
const BLANKS = /[ \t\r\n]*/y;
const COMMENT = /(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*)/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /(?:true|false|null)(?!\w)/y;
const FOUND = /"[^"\n]*"?|[\p{L}\d_.'+-]+|[\s\S]|$/uy;

/** It makes no sense to go on after it. */
class Fatal extends Error {}

/** Never throws. */
export function parseLocated(text: string): LocatedJson {
  const lines = new Map<string, number>();
  const slips: LocatedJson['slips'] = [];
  let [at, line, counted] = [text.startsWith('\ufeff') ? 1 : 0, 1, 0];

  const lineHere = (): number => {
    for (; counted < at; counted++) if (text[counted] === '\n') line += 1;
    return line;
  };
  const slip = (message: string, at = lineHere()) => slips.push({ line: at, message });
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const skip = (): void => {
    take(BLANKS);
    while (take(COMMENT) !== undefined) {
      slip('JSON has no comments: remove it');
      take(BLANKS);
    }
  };
  const found = (): string => {
    FOUND.lastIndex = at;
    const token = FOUND.exec(text)?.[0] ?? '';
    return token === '' ? 'the end of the file' : token.slice(0, 40);
  };
  const string = (what: string): string => {
    if (text[at] === "'") throw new Fatal(`${found()} is in single quotes: write "double quotes"`);
    const token = take(STRING);
    if (token === undefined) {
      const open = text[at] === '"' ? 'it has no closing quote on its line' : `${found()} was found instead`;
      throw new Fatal(`expected ${what} in double quotes, but ${open}`);
    }
    try {
      return JSON.parse(token) as string;
    } catch {
      throw new Fatal(`${token.slice(0, 40)} has a backslash or a control character that JSON does not allow`);
    }
  };

  /** The elements of a list or object up to its end; `element` reads one. */
  const elements = (end: ']' | '}', element: () => void): void => {
    at += 1;
    skip();
    for (let first = true; text[at] !== end; first = false) {
      const here = lineHere();
      const comma = take(/,/y) !== undefined;
      if (!comma && at >= text.length) throw new Fatal(`the file ends before its closing ${end}: is it cut off?`);
      if (!first && !comma) {
        if (!/["{[\d]/.test(text[at] ?? '')) throw new Fatal(`expected a comma or ${end}, found ${found()}`);
        slip(`a comma is missing before ${found()}`);
      }
      skip();
      if (comma && (first || text[at] === end || text[at] === ',')) {
        slip(`there is a comma too many before ${found()}: remove it`, here);
        continue;
      }
      element();
      skip();
    }
    at += 1;
  };
  const object = (position: string, depth: number): object => {
    const entries = new Map<string, unknown>();
    let last = '';
    elements('}', () => {
      if (/\d/.test(text[at] ?? '') && typeof entries.get(last) === 'number') {
        throw new Fatal(`${entries.get(last)},${found()} has a decimal comma: write a point, as in 44.51`);
      }
      const key = string('a name');
      if (entries.has(key)) slip(`${JSON.stringify(key)} is there twice in one object: remove one of the two`);
      last = key;
      skip();
      if (take(/:/y) === undefined) throw new Fatal(`expected a colon after "${key}", found ${found()}`);
      entries.set(key, value(position === '' ? key : `${position}.${key}`, depth));
    });
    return Object.fromEntries(entries);
  };
  const value = (position: string, depth: number): unknown => {
    if (depth > DEEPEST) throw new Fatal('it is nested too deeply');
    skip();
    lines.set(position, lineHere());
    if (text[at] === '{') return object(position, depth + 1);
    if (text[at] === '[') {
      const list: unknown[] = [];
      elements(']', () => list.push(value(`${position}[${list.length}]`, depth + 1)));
      return list;
    }
    const plain = take(WORD) ?? take(NUMBER);
    if (plain !== undefined) return JSON.parse(plain);
    if (/["']/.test(text[at] ?? '')) return string('text');
    if (at >= text.length)
      throw new Fatal(position === '' ? 'the file is empty' : 'the file ends here: is it cut off?');
    if (position === '') throw new Fatal(`a network file is one JSON object in { }, but this begins with ${found()}`);
    throw new Fatal(`expected a value (text in "double quotes", a number, true, { or [), found ${found()}`);
  };

  let parsed: unknown;
  try {
    parsed = value('', 0);
    skip();
    if (at < text.length) throw new Fatal(`after the end of the JSON there is ${found()}: remove what follows`);
  } catch (error) {
    if (!(error instanceof Fatal)) throw error;
    slip(error.message);
    parsed = undefined;
  }
  const lineOf = (position: string): number | undefined => {
    const nearest = position.replace(/\.[^.[]*$|\[\d+\]$|^[^.[]*$/, '');
    return lines.get(position) ?? (nearest === position ? undefined : lineOf(nearest));
  };
  return { value: parsed, slips, lineOf };
}
