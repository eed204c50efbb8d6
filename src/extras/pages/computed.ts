/** How the numbers of a page come about, once, at its end. */
import type { Locale } from '../../contract/endpoints.ts';
import { type Html, html } from './html.ts';
import { RULES, type RuleName } from './rules.ts';
import { WORDS } from './words.ts';

/** The rules behind the numbers of a page, in its order. */
const PAGES = {
  overview: ['aqi', 'trend', 'C4', 'C9'],
  station: ['C1', 'aqi', 'trend', 'C9', 'S5', 'A1', 'A2', 'A4', 'A6', 'A7'],
  region: ['C4', 'aqi', 'trend', 'C9', 'W1', 'W2', 'W3', 'W4', 'EU', 'A3', 'A4', 'A6', 'A7'],
} as const satisfies Readonly<Record<string, readonly RuleName[]>>;

export const computedPart = (locale: Locale, page: keyof typeof PAGES): Html =>
  html`<section class="card" id="computed"><details data-name="computed">
  <summary><h2>${WORDS[locale].inputs}</h2></summary>
${PAGES[page].map((name) => html`<p class="rule" id="rule-${name}">${RULES[name][locale]}</p>\n`)}</details></section>`;

/** Leads to a rule in it, and opens it. */
export const ruleLink = (locale: Locale, name: RuleName): Html =>
  html`<a href="#rule-${name}">${WORDS[locale].inputs}</a>`;
