/**
 * Numbers and times as people read them, in the language of a page. Shared with the browser, so it
 * imports nothing; and by hand, since Chromium's Intl has no Armenian.
 */

/** Short months by locale, in the order of LOCALES, which the browser does not load. */
export const SHORT_MONTHS: Readonly<Record<string, string>> = {
  en: 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec',
  ru: 'янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек.',
  hy: 'հնվ փտվ մրտ ապր մյս հնս հլս օգս սեպ հոկ նոյ դեկ',
};

/** `1005.25` as `1,005.25`, or `1 005,25` with spaces that do not break. */
export function formatNumber(locale: string, value: number, digits: number): string {
  const [whole = '', decimals] = Math.abs(value).toFixed(digits).split('.');
  const [thousands, point] = locale === 'en' ? [',', '.'] : ['\u00a0', ','];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, thousands);
  const text = decimals === undefined ? grouped : `${grouped}${point}${decimals}`;
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/**
 * `2026-11-20T13:00:00+04:00` as `20 Nov, 13:00`: the API's times are local already, whatever the
 * reader's clock says.
 */
export function formatTime(locale: string, timestamp: string): string {
  const { date, time } = partsOf(locale, timestamp);
  return `${date}, ${time}`;
}

/** The same as `13:00, 20 Nov`, where the hour is what matters. */
export function formatClock(locale: string, timestamp: string): string {
  const { date, time } = partsOf(locale, timestamp);
  return `${time}, ${date}`;
}

function partsOf(locale: string, timestamp: string) {
  const [, month, day, time] = /^\d+-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(timestamp) ?? [];
  return { date: `${Number(day)} ${SHORT_MONTHS[locale]?.split(' ')[Number(month) - 1]}`, time };
}
