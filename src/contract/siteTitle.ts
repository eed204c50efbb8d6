/** What the site is called in each language (SITE_TITLE and its like). */
import type { Locale } from '../contract/endpoints.ts';

/** Empty where the operator gave none. */
export type SiteTitles = Readonly<Record<Locale, string>>;

const UNNAMED: SiteTitles = { en: 'Air quality', ru: 'Качество воздуха', hy: 'Օդի որակը' };

/** The title that the operator gave, or `Air quality`. */
export const titleIn = ({ titles }: { titles: SiteTitles }, locale: Locale): string =>
  titles[locale] === '' ? UNNAMED[locale] : titles[locale];
