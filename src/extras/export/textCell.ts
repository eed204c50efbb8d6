/** Keeps spreadsheet programs from running texts of the network as formulas (CSV injection). */

/** The beginning of a text that spreadsheet programs take for a formula, perhaps behind apostrophes of an earlier export. */
const FORMULA = /^'*[=+\-@＝＋－＠\p{Cc}]/u;

/** A text of the network as a cell: with an apostrophe before it where a spreadsheet would run it as a formula. */
export function textCell(text: string | null): string | null {
  return text !== null && FORMULA.test(text) ? `'${text}` : text;
}
