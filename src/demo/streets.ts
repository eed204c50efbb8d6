/** Street names for the stations of the demo, one each: words that exist in every language, so that every title is a translation. */
import type { Title } from './format.ts';

const STREETS: readonly (readonly [en: string, ru: string, hy: string])[] = [
  ['Lantern', 'Фонарная', 'Լապտերների'],
  ['Mill', 'Мельничная', 'Ջրաղացի'],
  ['Observatory', 'Обсерваторная', 'Աստղադիտարանի'],
  ['Poplar', 'Тополиная', 'Բարդիների'],
  ['School', 'Школьная', 'Դպրոցի'],
  ['Railway', 'Железнодорожная', 'Երկաթուղու'],
  ['Library', 'Библиотечная', 'Գրադարանի'],
  ['Park', 'Парковая', 'Զբոսայգու'],
  ['Potters', 'Гончарная', 'Բրուտների'],
  ['Weavers', 'Ткацкая', 'Ջուլհակների'],
  ['University', 'Университетская', 'Համալսարանի'],
  ['Museum', 'Музейная', 'Թանգարանի'],
  ['Copper', 'Медная', 'Պղնձի'],
  ['Bakers', 'Пекарская', 'Հացթուխների'],
  ['Theatre', 'Театральная', 'Թատրոնի'],
  ['Clockmakers', 'Часовая', 'Ժամագործների'],
  ['Garden', 'Садовая', 'Այգիների'],
  ['Bridge', 'Мостовая', 'Կամրջի'],
  ['Meadow', 'Луговая', 'Մարգագետնի'],
  ['Harbour', 'Портовая', 'Նավահանգստի'],
  ['Lighthouse', 'Маячная', 'Փարոսի'],
  ['Ferry', 'Паромная', 'Լաստանավի'],
  ['Swallow', 'Ласточкина', 'Ծիծեռնակի'],
  ['Willow', 'Ивовая', 'Ուռենու'],
  ['Vineyard', 'Виноградная', 'Խաղողի'],
  ['Apricot', 'Абрикосовая', 'Ծիրանի'],
  ['Walnut', 'Ореховая', 'Ընկուզենու'],
  ['Riverside', 'Речная', 'Գետափնյա'],
  ['Pine', 'Сосновая', 'Սոճիների'],
  ['Mountain', 'Горная', 'Լեռնային'],
  ['Spring', 'Родниковая', 'Աղբյուրի'],
  ['Honey', 'Медовая', 'Մեղրի'],
  ['Maple', 'Кленовая', 'Թխկու'],
  ['Silver', 'Серебряная', 'Արծաթի'],
  ['Wheat', 'Пшеничная', 'Ցորենի'],
  ['Stork', 'Аистовая', 'Արագիլի'],
  ['Southern', 'Южная', 'Հարավային'],
  ['Snow', 'Снежная', 'Ձյան'],
  ['Glacier', 'Ледниковая', 'Սառցադաշտի'],
  ['Sunny', 'Солнечная', 'Արևոտ'],
];

/** The address of the nth station. */
export function address(n: number): Title {
  const street = STREETS[n % STREETS.length];
  if (street === undefined) throw new Error('no streets');
  const house = 1 + ((n * 17) % 60);
  return { en: `${house} ${street[0]} Street`, ru: `ул. ${street[1]}, ${house}`, hy: `${street[2]} փողոց ${house}` };
}
