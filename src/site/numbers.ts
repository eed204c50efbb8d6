/** Numbers and times as people read them, in the language of a page. Shared with the browser, so it imports nothing. */

export function formatNumber(locale: string, value: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, options).format(value).replace('-', '−');
}

/** `2026-11-20T13:00:00+04:00` as `20 Nov, 13:00`: the API's times are local already, whatever the reader's clock says. */
export function formatTime(locale: string, timestamp: string): string {
  const wall = new Date(`${timestamp.slice(0, 19)}Z`);
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(wall);
  return `${day}, ${timestamp.slice(11, 16)}`;
}
