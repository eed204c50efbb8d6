/** Words of feeds and pages about warnings, in every language of the API. */
import type { Locale } from '../contract/endpoints.ts';

type Key =
  | 'feedOf'
  | 'rule'
  | 'worse'
  | 'better'
  | 'allClear'
  | 'first'
  | 'threeHours'
  | 'aqi'
  | 'eaqi'
  | 'µg/m³'
  | 'get'
  | 'how';

export const WARNING_WORDS: Readonly<Record<Locale, Readonly<Record<Key, string>>>> = {
  en: {
    feedOf: '{place}: air quality warnings',
    rule: '{index}. An entry for every change of the category: worse at once after a closed hour, better after three; a bound counts as left when the value is 5 % beyond it.',
    worse: 'Worse. Before: {before}.',
    better: 'Better. Before: {before}.',
    allClear: '{place}: all clear, {category}',
    first: 'The first category known.',
    threeHours: 'The worst of three hours in a row was {category}.',
    aqi: 'AQI {aqi}',
    eaqi: 'European index',
    'µg/m³': 'µg/m³',
    get: 'Get warnings',
    how: 'by feed, mail or chat',
  },
  ru: {
    feedOf: '{place}: предупреждения о качестве воздуха',
    rule: '{index}. Запись о каждой смене категории: хуже — сразу после завершённого часа, лучше — после трёх; граница считается пройденной, когда значение выходит за неё на 5 %.',
    worse: 'Стало хуже. До этого: {before}.',
    better: 'Стало лучше. До этого: {before}.',
    allClear: '{place}: отбой, {category}',
    first: 'Первая известная категория.',
    threeHours: 'Худшая категория за три часа подряд: {category}.',
    aqi: 'AQI {aqi}',
    eaqi: 'европейский индекс',
    'µg/m³': 'мкг/м³',
    get: 'Получать предупреждения',
    how: 'лентой, почтой или в чате',
  },
  hy: {
    feedOf: '{place}. նախազգուշացումներ օդի որակի մասին',
    rule: '{index}։ Գրառում՝ կատեգորիայի ամեն փոփոխության մասին. վատացման դեպքում՝ անմիջապես ավարտված ժամից հետո, լավացման դեպքում՝ երեք ժամից հետո։ Սահմանը համարվում է անցած, երբ արժեքը 5 %-ով դրանից այն կողմ է։',
    worse: 'Վատացել է։ Մինչ այդ՝ {before}։',
    better: 'Լավացել է։ Մինչ այդ՝ {before}։',
    allClear: '{place}. վտանգն անցել է, {category}',
    first: 'Առաջին հայտնի կատեգորիան։',
    threeHours: 'Երեք անընդմեջ ժամերի ամենավատ կատեգորիան՝ {category}։',
    aqi: 'AQI {aqi}',
    eaqi: 'եվրոպական ինդեքս',
    'µg/m³': 'մկգ/մ³',
    get: 'Ստանալ նախազգուշացումներ',
    how: 'լրահոսով, փոստով կամ զրույցում',
  },
};
