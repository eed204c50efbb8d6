/** The widget as the one file that other sites load: the words that it needs, how it looks, what it imports, and itself. */
import { CATEGORY_NAMES } from './scale.ts';
import { WIDGET_STYLE } from './style.ts';
import { SUSPECT_WORDS } from './suspect.ts';
import { WORDS, type Words } from './words.ts';

const NEEDED: readonly (keyof Words)[] = [
  ...CATEGORY_NAMES,
  ...SUSPECT_WORDS,
  ...([
    'meanOfHour',
    'digestOf',
    'nothingRecent',
    'aqiNote',
    'stale',
    'unavailable',
    'noStation',
    'noRegion',
    'temperature',
    'suspect',
  ] as const),
];

/** `bundle`: what `browser/widget.ts` was bundled to. */
export function widgetModule(bundle: string): string {
  const words = Object.entries(WORDS).map(([locale, all]) => [
    locale,
    Object.fromEntries(NEEDED.map((name) => [name, all[name]])),
  ]);
  return `const WORDS = ${JSON.stringify(Object.fromEntries(words))};
const STYLE = ${JSON.stringify(WIDGET_STYLE)};
${bundle}`;
}
