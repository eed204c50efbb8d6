/** The indices beside the AQI, and how complete the last day is, in the list that the page leaves for them. */
import { fill, formatValue, PM25 } from '../format.ts';
import { formatNumber, formatTime } from '../numbers.ts';
import { element, exploreUrl, fetchJson, fillFrom, type Page, wordFor } from './page.ts';

type Now = {
  nowcast: { 'pm2.5': number | null; aqi: number | null };
  european_index: {
    index: string | null;
    timestamp: string | null;
    pollutants: Readonly<Record<string, string | null>>;
  };
  completeness?: { measured_hours: number; expected_hours: number };
};

export async function showIndices(page: Page): Promise<void> {
  const place = document.querySelector<HTMLElement>('#indices');
  if (place !== null) await fillFrom(page, place, () => makeIndices(page), page.words.european);
}

async function makeIndices(page: Page): Promise<HTMLElement[]> {
  const { words, locale } = page;
  const found = await fetchJson<Now>(exploreUrl(page, 'now.json'));
  if (found === undefined) return [];
  const { nowcast, european_index: european, completeness } = found.data;
  const entries: [string, string, string][] = [];
  if (european.index !== null) {
    const bandOf = (band: string) => wordFor(words, `european ${band}`);
    const worst = Object.entries(european.pollutants).flatMap(([key, band]) =>
      band === null ? [] : [`${wordFor(words, key)}: ${bandOf(band)}`],
    );
    const note = `${words.europeanNote}${european.timestamp === null ? '' : ` (${formatTime(locale, european.timestamp)})`}. ${worst.join(', ')}`;
    entries.push([words.european, bandOf(european.index), note]);
  }
  if (nowcast['pm2.5'] !== null) {
    const value = formatValue(locale, nowcast['pm2.5'], PM25);
    const index = nowcast.aqi === null ? '' : `, AQI ${formatNumber(locale, nowcast.aqi, 0)}`;
    entries.push([words.nowcast, `${value}${index}`, words.nowcastNote]);
  }
  if (completeness !== undefined && completeness.expected_hours > 0) {
    const { measured_hours: measured, expected_hours: expected } = completeness;
    entries.push([words.completeness, fill(words.hoursOf, { measured, expected }), '']);
  }
  const items = entries.flatMap(([name, value, note]) => [
    element('dt', {}, name),
    element('dd', {}, element('b', {}, value), note === '' ? '' : ' ', note !== '' && element('small', {}, note)),
  ]);
  return items.length === 0 ? [] : [element('dl', {}, ...items)];
}
