/**
 * A year of the record: a button with its months as a strip in the colours of the index. The server
 * sends it without months, as room for them. Shared with the browser.
 */
import { fill } from './format.ts';
import { type Html, html } from './html.ts';

export const MONTH_WIDTH = 10;
export const STRIP_HEIGHT = 32;

/** `text`: its lowest and highest index. */
export const yearStrip = (
  { calendar }: { calendar: string },
  year: string,
  cells: readonly Html[] = [],
  text?: string,
): Html => html`<button type="button" data-year="${year}"
    aria-label="${fill(calendar, { year })}${text !== undefined && `: ${text}`}">
    <svg viewBox="0 0 ${12 * MONTH_WIDTH} ${STRIP_HEIGHT}" preserveAspectRatio="none"
    aria-hidden="true">${cells}</svg>
    ${year}</button>`;
