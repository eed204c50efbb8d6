/**
 * The two indices of air quality in words, in every language of the API: their categories, worst
 * last, and what each advises. The setting INDEX says which one is the headline.
 */
import type { Locale } from '../endpoints.ts';
import type { Band } from '../explore/now.ts';
import type { Text } from './form.ts';
import { COMMON_TEXTS } from './words.ts';

/** `aqi`: the US EPA's index of PM2.5 and PM10. `eaqi`: the European index, which counts gases. */
export type IndexName = 'aqi' | 'eaqi';

/**
 * `name` begins with a capital; within a sentence it is written small. `sensitive` is left out where
 * it would repeat the advice for everybody; `whom` names the people where they aren't all who are
 * sensitive.
 */
type Grade = Readonly<{ name: Text; everybody: Text; sensitive?: Text; whom?: Text }>;

const { aqi, eaqi } = COMMON_TEXTS.indices;

/**
 * `short`: the name beside a category; `source`: where the advice is from. The advice of the US EPA
 * is that of its guide for particle pollution. The EEA gives its own with its index, for the general
 * population and for sensitive populations: adults and children with respiratory problems, adults
 * with heart conditions.
 */
export const INDEX_WORDS = {
  aqi: {
    ...aqi,
    source: {
      url: 'https://www.airnow.gov/publications/air-quality-guides/air-quality-guide-for-particle-pollution/',
      text: aqi.advice,
    },
  },
  eaqi: {
    ...eaqi,
    grades: eaqi.grades satisfies Record<Band, Grade>,
    source: { url: 'https://airindex.eea.europa.eu/AQI/index.html', text: eaqi.advice },
  },
} as const;

/** The advice of a category, with the people whom it concerns. Empty without a category. */
export function adviceFor(
  locale: Locale,
  index: IndexName,
  category: string,
): readonly { whom: string; advice: string }[] {
  const grades: Readonly<Record<string, Grade>> = INDEX_WORDS[index].grades;
  const grade = grades[category];
  if (grade === undefined) return [];
  const { everybody, sensitive, whom = COMMON_TEXTS.whom.sensitive } = grade;
  const forAll = { whom: COMMON_TEXTS.whom.everybody[locale], advice: everybody[locale] };
  return sensitive === undefined
    ? [forAll]
    : [forAll, { whom: whom[locale], advice: sensitive[locale] }];
}
