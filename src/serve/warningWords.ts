/** Words of feeds and pages about warnings, in every language of the API. */
import type { Locale } from '../contract/endpoints.ts';

type Key =
  | 'feedOf'
  | 'rule'
  | 'worse'
  | 'better'
  | 'first'
  | 'highest'
  | 'hour'
  | 'aqi'
  | 'eaqi'
  | 'µg/m³'
  | 'get'
  | 'how';

export const WARNING_WORDS: Readonly<Record<Locale, Readonly<Record<Key, string>>>> = {
  en: {
    feedOf: '{place}: air quality warnings',
    rule: '{index}. An entry for every change of the category: worse at once after a closed hour, better after three.',
    worse: 'Worse than before: {before}.',
    better: 'Better than before: {before}.',
    first: 'The first category known.',
    highest: 'Hour from {time}; the value is the highest of this hour and the two before it.',
    hour: 'Hour from {time}.',
    aqi: 'AQI {aqi}',
    eaqi: 'European index',
    'µg/m³': 'µg/m³',
    get: 'Get warnings',
    how: 'by feed, mail or chat',
  },
  ru: {
    feedOf: '{place}: предупреждения о качестве воздуха',
    rule: '{index}. Запись о каждой смене категории: хуже — сразу после завершённого часа, лучше — после трёх.',
    worse: 'Хуже, чем раньше: {before}.',
    better: 'Лучше, чем раньше: {before}.',
    first: 'Первая известная категория.',
    highest: 'Час с {time}; значение — наибольшее за этот час и два предыдущих.',
    hour: 'Час с {time}.',
    aqi: 'AQI {aqi}',
    eaqi: 'европейский индекс',
    'µg/m³': 'мкг/м³',
    get: 'Получать предупреждения',
    how: 'лентой, почтой или в чате',
  },
  hy: {
    feedOf: '{place}. նախազգուշացումներ օդի որակի մասին',
    rule: '{index}։ Գրառում՝ կատեգորիայի ամեն փոփոխության մասին. վատացման դեպքում՝ անմիջապես ավարտված ժամից հետո, լավացման դեպքում՝ երեք ժամից հետո։',
    worse: 'Ավելի վատ է, քան նախկինում՝ {before}։',
    better: 'Ավելի լավ է, քան նախկինում՝ {before}։',
    first: 'Առաջին հայտնի կատեգորիան։',
    highest: '{time}-ից սկսվող ժամը. արժեքն այս և նախորդ երկու ժամերի ամենաբարձրն է։',
    hour: '{time}-ից սկսվող ժամը։',
    aqi: 'AQI {aqi}',
    eaqi: 'եվրոպական ինդեքս',
    'µg/m³': 'մկգ/մ³',
    get: 'Ստանալ նախազգուշացումներ',
    how: 'լրահոսով, փոստով կամ զրույցում',
  },
};
