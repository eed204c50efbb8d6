/** How the numbers of a page come about, once, at its end. */
import type { Locale } from '../../contract/endpoints.ts';
import { type Html, html } from './html.ts';
import { RULES, type RuleName } from './rules.ts';
import { WORDS } from './words.ts';

/** The rules behind the numbers of a page, in its order. */
const PAGES = {
  overview: ['trend', 'C4', 'C9'],
  station: ['aqi', 'eaqi', 'X2', 'trend', 'C1', 'C9', 'S5', 'A1', 'A2', 'A4', 'A6', 'A7'],
  region: [
    'aqi',
    'eaqi',
    'X2',
    'trend',
    'C4',
    'C9',
    'W1',
    'W2',
    'W3',
    'W4',
    'EU',
    'limits',
    'A3',
    'A4',
    'A6',
    'A7',
  ],
} as const satisfies Readonly<Record<string, readonly RuleName[]>>;

/** `used`: the indices of its headline and lists, whose rules come first. */
export const computedPart = (
  locale: Locale,
  page: keyof typeof PAGES,
  used: readonly RuleName[],
): Html =>
  html`<section class="card" id="computed"><details data-name="computed">
  <summary><h2>${WORDS[locale].inputs}</h2></summary>
${[...new Set([...used, ...PAGES[page]])].map(
  (name) => html`<p class="rule" id="rule-${name}">${RULES[name][locale]}</p>\n`,
)}</details></section>`;

/** Leads to a rule in it, and opens it. */
export const ruleLink = (locale: Locale, name: RuleName): Html =>
  html`<a href="#rule-${name}">${WORDS[locale].inputs}</a>`;
