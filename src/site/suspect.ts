/** Why the particles of a station are left out of its city's mean (C9), in words. Shared with the browser, so it imports nothing but formats. */
import { fill, formatDate, plural } from './format.ts';
import { formatNumber } from './numbers.ts';
import type TEXTS from './widgetWords.json';

/** A period of the document of a station's flags. */
export type Flag = {
  kind: 'thp' | 'pm';
  test: string;
  since: string | null;
  until: string | null;
  'pm2.5': number | null;
  median: number | null;
};

export type WidgetWords = Readonly<Record<keyof typeof TEXTS, string>>;

/** The sentence for the periods that hold at an instant; undefined where none does. */
export function leftOut(locale: string, words: WidgetWords, flags: readonly Flag[], at: Date): string | undefined {
  const isPast = (time: string | null) => time === null || Date.parse(time) <= at.getTime();
  const open = flags.filter(
    ({ kind, since, until }) => kind === 'pm' && isPast(since) && !(until !== null && isPast(until)),
  );
  const reasons = open.map(({ test, 'pm2.5': value, median }) => {
    if (test === 'sensors') return words.suspectSensors;
    if (test === 'flat') return words.suspectFlat;
    if (test === 'operator') return words.suspectOperator;
    if (value === null || median === null || median <= 0) return words.suspectFarAbove;
    const times = Math.floor(value / median);
    return fill(plural(locale, words.suspectOutlier, times), { n: formatNumber(locale, times, 0) });
  });
  if (reasons.length === 0) return undefined;
  const [since = ''] = open.map((one) => one.since ?? '').sort();
  const why = [...new Set(reasons)].join('; ');
  if (since === '') return fill(words.leftOut, { why });
  return fill(words.leftOutSince, { when: formatDate(locale, since, 'date'), why });
}
