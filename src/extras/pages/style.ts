/** The style sheets of pages and frames: colours, and files of style/ as the build has bundled them. */
import { readFileSync } from 'node:fs';
import { ON_PAPER, SCHEMES } from './colours.ts';

/**
 * The folder that `npm run build` bundles for the browser. A program that runs from the sources has
 * none of these files.
 */
export const BUNDLED = new URL('../../../dist/browser/', import.meta.url);

const sheet = (name: string) => readFileSync(new URL(`${name}.css`, BUNDLED), 'utf8');

/** Years of the record by their number of months: squares are as wide in all of them. */
const YEARS = Array.from({ length: 12 }, (_, n) => {
  const months = n + 1;
  return `.record .m${months} { flex: ${months} ${months} 0; min-width: ${Math.max(36, 8 * months)}px; max-width: ${27 * months}px; }\n`;
}).join('');

export const pageStyle = () =>
  SCHEMES + sheet('common') + sheet('page') + sheet('limits') + YEARS + ON_PAPER;

/** The current values for other sites. */
export const frameStyle = () => SCHEMES + sheet('common') + sheet('embedded') + sheet('frame');

/** The API reference, after Swagger UI's own style. */
export const docsStyle = () => sheet('docs');
