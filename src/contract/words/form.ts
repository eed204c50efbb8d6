/**
 * The form of all texts for people: a room keeps them in its file `words.json`, a tree that ends in
 * texts, each in every language of the API.
 */
import { LOCALES, type Locale } from '../endpoints.ts';

/** A text in every language. */
export type Text = Readonly<Record<Locale, string>>;

/** A file of texts. The compiler refuses one in which a text lacks a language. */
export type Texts = { readonly [name: string]: Text | Texts };

/** The texts of a file in one language. */
type Words<Of> = Of extends Text ? string : { readonly [Name in keyof Of]: Words<Of[Name]> };

export function wordsIn<Of extends Text | Texts>(texts: Of, locale: Locale): Words<Of> {
  const words = isText(texts)
    ? texts[locale]
    : Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [name, wordsIn(text, locale)]),
      );
  return words as Words<Of>;
}

/** The texts of a file by language. */
export const byLanguage = <Of extends Texts>(texts: Of) =>
  Object.fromEntries(LOCALES.map((locale) => [locale, wordsIn(texts, locale)])) as Readonly<
    Record<Locale, Words<Of>>
  >;

const isText = (texts: Text | Texts): texts is Text => typeof texts[LOCALES[0]] === 'string';

export { fill } from './fill.ts';
