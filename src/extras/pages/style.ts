/** The style sheets of pages and frames: colours, and files of style/ as the build has bundled them. */
import { readFileSync } from 'node:fs';
import { ON_PAPER, SCHEMES } from './colours.ts';

/**
 * The folder that `npm run build` bundles for the browser. A program that runs from the sources has
 * none of these files.
 */
export const BUNDLED = new URL('../../../dist/browser/', import.meta.url);

const sheet = (name: string) => readFileSync(new URL(`${name}.css`, BUNDLED), 'utf8');

export const pageStyle = () =>
  SCHEMES + sheet('common') + sheet('page') + sheet('limits') + ON_PAPER;

/** The current values for other sites. */
export const frameStyle = () => SCHEMES + sheet('common') + sheet('embedded') + sheet('frame');

/** The API reference, after Swagger UI's own style. */
export const docsStyle = () => sheet('docs');
