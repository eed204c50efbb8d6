/**
 * A year of the record: a button with its months as a strip in the colours of the index. The server
 * sends it without months, as room for them. Shared with the browser.
 */
import { fill } from './format.ts';
import { type Html, html } from './html.ts';

export const MONTH_WIDTH = 10;
export const STRIP_HEIGHT = 32;

/** The number of the month in which a year of the record begins: in its first year the first one. */
export const firstMonth = (year: string, begun: string): number =>
  begun.startsWith(year) ? Number(begun.slice(5, 7)) : 1;

/** `begun`: the first date of the record; `text`: its best and worst month. */
export function yearStrip(
  { calendar }: { calendar: string },
  year: string,
  begun: string,
  cells: readonly Html[] = [],
  text?: string,
): Html {
  const months = 13 - firstMonth(year, begun);
  return html`<button type="button" class="m${months}" data-year="${year}"
    aria-label="${fill(calendar, { year })}${text !== undefined && `: ${text}`}">${year}
    <svg viewBox="0 0 ${months * MONTH_WIDTH} ${STRIP_HEIGHT}" preserveAspectRatio="none"
    aria-hidden="true">${cells}</svg></button>`;
}
