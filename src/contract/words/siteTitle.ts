/** The title of the site in each language (SITE_TITLE and its like). */
import type { Locale } from '../endpoints.ts';
import type { Text } from './form.ts';
import { COMMON_TEXTS } from './words.ts';

/** Empty where the operator gave none. */
export type SiteTitles = Text;

/** The title that the operator gave, or `Air quality`. */
export const titleIn = ({ titles }: { titles: SiteTitles }, locale: Locale): string =>
  titles[locale] === '' ? COMMON_TEXTS.airQuality[locale] : titles[locale];
