/**
 * The colours of pages, pictures and the widget: six, and those of the categories, light and dark.
 * The hues of categories are the US EPA's, in tones on which text has a contrast of 4.5 and which
 * have 3 on both grounds; the yellow, which has 1.6 on white, by a darker edge. What else makes the
 * style is in style/.
 */
import { CATEGORIES, CATEGORY_NAMES, type Category } from './scale.ts';

export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M3 12h17a4 4 0 1 0-4-4M3 17h23a4 4 0 1 1-4 4M3 22h12a3 3 0 1 1-3 3" fill="none" stroke="#2a78c8" stroke-width="2.5" stroke-linecap="round"/></svg>';

/** The colour of the browser's own frame. */
export const THEMES = { light: '#f3f5f8', dark: '#0f1317' } as const;

const INK = '#10151a';
const LIGHT_TONES = ['#2e9a4e', '#f5c518', '#dc6803', '#d3302f', '#8e3fa8', '#7a0f2e'];
const DARK_TONES = ['#45b868', '#d9ab1a', '#ee8434', '#ef5b57', '#b877cf', '#ff7aa5'];
const COLOURED = CATEGORIES.map(({ name }) => name);

/** The ground of each category and the colour of letters on it, in the light. */
export const SURFACES = Object.fromEntries(
  CATEGORY_NAMES.map((name, n) => [
    name,
    [LIGHT_TONES[n] ?? '#e4e8ed', n > 2 && n < 6 ? '#ffffff' : INK],
  ]),
) as Readonly<Record<Category, [string, string]>>;

const tones = (all: readonly string[]) =>
  COLOURED.map((name, n) => `--${name}: ${all[n]};`).join(' ');
const LIGHT = `--ground: ${THEMES.light}; --paper: #fff; --ink: #17202a; --soft: #525d69; --line: #d5dce4; --link: #0b5cad; --series: #2a6fc0; --band: #2a6fc033; --on-dark: #fff; --offline: #6b7682; --yellow-edge: #8f6b00; ${tones(LIGHT_TONES)}`;
const DARK = `--ground: ${THEMES.dark}; --paper: #171c22; --ink: #e6eaee; --soft: #a3adb8; --line: #323b45; --link: #74b4f5; --series: #74b4f5; --band: #74b4f533; --on-dark: ${INK}; --offline: #8b96a1; --yellow-edge: transparent; ${tones(DARK_TONES)}`;

/** Colours by what the reader's system prefers, and on paper. */
export const SCHEMES = `:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
`;
export const ON_PAPER = `@media print { :root { ${LIGHT} } }\n`;

/** Colours of the widget, whose page may ask for a theme. */
export const THEMED = `:host { ${LIGHT} }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${DARK} } }
:host([theme=dark]) { ${DARK} }
`;
