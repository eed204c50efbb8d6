/**
 * Numbers and times as people read them, in the language of a page. Shared with the browser, so it imports nothing; and by hand, since
 * Chromium's Intl has no Armenian.
 */

const MONTHS: Readonly<Record<string, string>> = {
  en: 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec',
  ru: 'янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек.',
  hy: 'հնվ փտվ մրտ ապր մյս հնս հլս օգս սեպ հոկ նոյ դեկ',
};

const WEEKDAYS: Readonly<Record<string, string>> = {
  en: 'Sun Mon Tue Wed Thu Fri Sat',
  ru: 'вс пн вт ср чт пт сб',
  hy: 'կիր երկ երք չրք հնգ ուր շբթ',
};

/** `1005.25` as `1,005.25`, or `1 005,25` with spaces that do not break. */
export function formatNumber(locale: string, value: number, digits: number): string {
  const [whole = '', decimals] = Math.abs(value).toFixed(digits).split('.');
  const [thousands, point] = locale === 'en' ? [',', '.'] : ['\u00a0', ','];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, thousands);
  const text = decimals === undefined ? grouped : `${grouped}${point}${decimals}`;
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/** `2026-11-20T13:00:00+04:00` as `20 Nov, 13:00`: the API's times are local already, whatever the reader's clock says. */
export const formatTime = (locale: string, timestamp: string): string =>
  `${formatDate(locale, timestamp, ['day', 'month'])}, ${timestamp.slice(11, 16)}`;

/** These parts of the local date of a time, or of a date, in this order: `Fri 20 Nov 2026`. */
export function formatDate(
  locale: string,
  timestamp: string,
  parts: readonly ('weekday' | 'day' | 'month' | 'year')[],
): string {
  const date = new Date(`${timestamp.slice(0, 10)}T00:00:00Z`);
  const texts = {
    weekday: WEEKDAYS[locale]?.split(' ')[date.getUTCDay()],
    day: date.getUTCDate(),
    month: MONTHS[locale]?.split(' ')[date.getUTCMonth()],
    year: date.getUTCFullYear(),
  };
  return parts.map((part) => texts[part]).join(' ');
}
