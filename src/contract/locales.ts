/** The languages of the interface: the first segment of every path, and the choice among titles. */
export const LOCALES = ['en', 'ru', 'hy'] as const;
export type Locale = (typeof LOCALES)[number];

export function isLocale(text: string): text is Locale {
  return (LOCALES as readonly string[]).includes(text);
}
