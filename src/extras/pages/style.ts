/** The style sheets of pages and frames: colours, and files of style/ as the build has bundled them. */
import { readFileSync } from 'node:fs';
import { ON_PAPER, SCHEMES } from './colours.ts';

/** Bundled for the browser: `npm run build` puts it here. Run from the sources, there is none. */
export const BUNDLED = new URL('../../../dist/browser/', import.meta.url);

const sheet = (name: string) => readFileSync(new URL(`${name}.css`, BUNDLED), 'utf8');

export const pageStyle = () => SCHEMES + sheet('common') + sheet('page') + ON_PAPER;

/** The current values for other sites. */
export const frameStyle = () => SCHEMES + sheet('common') + sheet('embedded') + sheet('frame');

/** The API reference, after Swagger UI's own style. */
export const docsStyle = () => sheet('docs');
