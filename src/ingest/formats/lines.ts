/**
 * Cuts bytes into numbered lines. Done here rather than by a parser of CSV or JSON, so that a line of garbage costs that line and
 * nothing else, and every complaint can name its line. The work goes by whole chunks: a call for each line would cost more than it.
 */

export type Line = { number: number; text: string; tooLong?: true };

/** Longer lines are no readings. Counted in bytes. */
export const LONGEST_LINE = 65_536;
/** What is kept of a line that is too long. */
const KEPT = 2_000;

const NEWLINE = 10;

/** Yields the lines of one chunk at a time; blank ones are counted and left out. CRLF and a byte order mark are tolerated. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let number = 0;
  let rest: Buffer[] = []; // the beginning of a line whose end has not come yet
  let restLength = 0; // of all of it, also where only the beginning is kept

  const take = (complete: Buffer, overflowed: boolean): Line[] => {
    const lines: Line[] = [];
    // a line break is never part of another character in UTF-8, so what lies between two of them can be decoded by itself
    complete
      .toString('utf8')
      .split('\n')
      .forEach((raw, index) => {
        number += 1;
        const unmarked = number === 1 && raw.startsWith('\ufeff') ? raw.slice(1) : raw;
        const text = unmarked.endsWith('\r') ? unmarked.slice(0, -1) : unmarked;
        const tooLong =
          (overflowed && index === 0) ||
          (text.length * 3 > LONGEST_LINE && Buffer.byteLength(text, 'utf8') > LONGEST_LINE);
        if (tooLong) lines.push({ number, text: text.slice(0, KEPT), tooLong });
        else if (text !== '') lines.push({ number, text });
      });
    return lines;
  };

  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      if (restLength <= LONGEST_LINE) rest.push(chunk);
      restLength += chunk.length;
      continue;
    }
    const lines = take(Buffer.concat([...rest, chunk.subarray(0, end)]), restLength > LONGEST_LINE);
    rest = [chunk.subarray(end + 1)];
    restLength = chunk.length - end - 1;
    yield lines;
  }
  if (restLength > 0) yield take(Buffer.concat(rest), restLength > LONGEST_LINE);
}
