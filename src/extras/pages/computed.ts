/** How the numbers of a page come about, once, at its end. */
import type { Locale } from '../../contract/endpoints.ts';
import { type Html, html } from './html.ts';
import { RULES, type RuleName } from './rules.ts';
import { WORDS } from './words.ts';

export const computedPart = (locale: Locale, names: readonly RuleName[]): Html =>
  html`<section class="card" id="computed"><details data-name="computed">
  <summary><h2>${WORDS[locale].inputs}</h2></summary>
${names.map((name) => html`<p class="rule" id="rule-${name}">${RULES[name][locale]}</p>\n`)}</details></section>`;

/** Leads to a rule in it, and opens it. */
export const ruleLink = (locale: Locale, name: RuleName): Html =>
  html`<a href="#rule-${name}">${WORDS[locale].inputs}</a>`;
