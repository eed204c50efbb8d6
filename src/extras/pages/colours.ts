/**
 * The colours of pages, pictures and the widget: six, and both indices', light and dark.
 * Their hues are the US EPA's and the EEA's. In both schemes each category is darker than the one
 * before it; text on it has a contrast of 4.5, and it has 3 to both grounds: the brightest, in the
 * light, by an edge that is half as bright. What else makes the style is in style/.
 */
import { BANDS, CATEGORIES, type Look } from './scale.ts';

export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M3 12h17a4 4 0 1 0-4-4M3 17h23a4 4 0 1 1-4 4M3 22h12a3 3 0 1 1-3 3" fill="none" stroke="#2a78c8" stroke-width="2.5" stroke-linecap="round"/></svg>';

/** The colour of the browser's own frame. */
export const THEMES = { light: '#f3f5f8', dark: '#0f1317' } as const;

const INK = '#10151a';
const COLOURED: readonly Look[] = [...CATEGORIES.map(({ name }) => name), ...BANDS];
const LIGHT_TONES = [
  ...['#79ec95', '#f5c518', '#d66f02', '#d3302f', '#8e3fa8', '#7a0f2e'],
  ...['#5eeae2', '#61dbab', '#d5b418', '#d5322f', '#9d154a', '#671473'],
];
const DARK_TONES = [
  ...['#68dc86', '#e0b018', '#f0882e', '#f75452', '#ab68c9', '#bb3762'],
  ...['#42e4dc', '#5bd6a7', '#d1b00b', '#f75452', '#d6537b', '#9850aa'],
];
/** Categories that need an edge in the light. */
const BRIGHT = [0, 1, 6, 7, 8];

/** The ground of a category and the colour of letters on it, in the light. */
export function surfaceOf(look: Look): [ground: string, ink: string] {
  const n = COLOURED.indexOf(look);
  return [LIGHT_TONES[n] ?? '#e4e8ed', n % 6 > 2 ? '#ffffff' : INK];
}

/** What a class of a category sets: its ground, its edge and the letters on it. */
const CLASSES = COLOURED.map((name, n) => {
  const edge = BRIGHT.includes(n)
    ? '--edge: color-mix(in srgb, var(--tone), #000 var(--shade));'
    : '';
  const letters = n % 6 < 3 ? '' : `--letters: ${n % 6 === 5 ? '#fff' : 'var(--on-dark)'};`;
  return `.${name} { --tone: var(--${name}); ${edge} ${letters} }\n`;
}).join('');

const tones = (all: readonly string[]) =>
  COLOURED.map((name, n) => `--${name}: ${all[n]};`).join(' ');
const LIGHT = `--ground: ${THEMES.light}; --paper: #fff; --ink: #17202a; --soft: #525d69; --line: #d5dce4; --link: #0b5cad; --series: #2a6fc0; --band: #2a6fc033; --on-dark: #fff; --offline: #6b7682; --shade: 50%; ${tones(LIGHT_TONES)}`;
const DARK = `--ground: ${THEMES.dark}; --paper: #171c22; --ink: #e6eaee; --soft: #a3adb8; --line: #323b45; --link: #74b4f5; --series: #74b4f5; --band: #74b4f533; --on-dark: ${INK}; --offline: #8b96a1; --shade: 0%; ${tones(DARK_TONES)}`;

/** Colours by what the reader's system prefers, and on paper. */
export const SCHEMES = `${CLASSES}:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
`;
export const ON_PAPER = `@media print { :root { ${LIGHT} } }\n`;

/** Colours of the widget, whose page may ask for a theme. */
export const THEMED = `${CLASSES}:host { ${LIGHT} }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${DARK} } }
:host([theme=dark]) { ${DARK} }
`;
