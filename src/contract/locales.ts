/** The languages of the API: the first segment of every path, which selects the titles. */
export const LOCALES = ['en', 'ru', 'hy'] as const;
export type Locale = (typeof LOCALES)[number];

/** Whether a text is one of LOCALES. */
export function isLocale(text: string): text is Locale {
  return (LOCALES as readonly string[]).includes(text);
}
