/** The invented stations, and the streets they are named after. */
import type { Title } from './cities.ts';

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

/** The address of the nth station, counted from 0. */
export function address(n: number): Title {
  const street = STREETS[n % STREETS.length];
  if (street === undefined) throw new Error('no streets');
  const house = 1 + ((n * 17) % 60);
  return { en: `${house} ${street[0]} Street`, ru: `ул. ${street[1]}, ${house}`, hy: `${street[2]} փողոց ${house}` };
}

export type Site = {
  city: string;
  district?: string;
  /** Its sensors, by kind of instrument (measure.ts). */
  kinds: readonly string[];
  /** Absent from lists and regions. */
  hidden?: true;
  /** Mounted in the sun on a warm wall: its temperature, humidity and pressure are implausible, and it is flagged. */
  badThp?: true;
  /** Has been offline for some days. */
  offline?: true;
};

const BOTH = ['SDS011', 'BME280'];
const FINE = ['SPS30', 'BME280'];
const ONE_BOX = ['PMS5003T'];
const MAST = ['weather mast'];

export const SITES: readonly Site[] = [
  { city: 'velmora', district: 'asteren', kinds: BOTH },
  { city: 'velmora', district: 'asteren', kinds: FINE },
  { city: 'velmora', district: 'kestrava', kinds: ['SPS30', 'weather mast', 'gas analyser', 'Geiger counter'] },
  { city: 'velmora', district: 'kestrava', kinds: BOTH },
  { city: 'velmora', district: 'lundoreth', kinds: ONE_BOX },
  { city: 'velmora', district: 'lundoreth', kinds: BOTH },
  { city: 'velmora', district: 'mirovane', kinds: BOTH, badThp: true },
  { city: 'velmora', district: 'mirovane', kinds: FINE },
  { city: 'velmora', district: 'orlesk', kinds: ['SDS011'] },
  { city: 'velmora', district: 'orlesk', kinds: ONE_BOX },
  { city: 'velmora', district: 'palvesta', kinds: ONE_BOX },
  { city: 'velmora', kinds: BOTH, hidden: true },
  { city: 'tarnesh', district: 'elkorosh', kinds: ['SPS30', 'weather mast', 'gas analyser', 'dust monitor'] },
  { city: 'tarnesh', district: 'elkorosh', kinds: BOTH },
  { city: 'tarnesh', district: 'sardolin', kinds: BOTH },
  { city: 'tarnesh', district: 'sardolin', kinds: ONE_BOX },
  { city: 'tarnesh', district: 'vintrey', kinds: BOTH },
  { city: 'tarnesh', district: 'vintrey', kinds: FINE },
  { city: 'tarnesh', kinds: ['SDS011'] },
  { city: 'okravel', district: 'rosmeny', kinds: ['SDS011', 'weather mast'] },
  { city: 'okravel', district: 'rosmeny', kinds: BOTH },
  { city: 'okravel', district: 'tulvane', kinds: BOTH, offline: true },
  { city: 'okravel', district: 'tulvane', kinds: FINE },
  { city: 'okravel', kinds: ONE_BOX },
  { city: 'lisandor', district: 'zamirel', kinds: ['SDS011', 'weather mast'] },
  { city: 'lisandor', district: 'zamirel', kinds: BOTH },
  { city: 'lisandor', kinds: FINE },
  { city: 'lisandor', kinds: ['BME280', 'Geiger counter'] },
  { city: 'pelvareth', kinds: ['SPS30', 'weather mast'] },
  { city: 'pelvareth', kinds: ONE_BOX },
  { city: 'pelvareth', kinds: ONE_BOX },
  { city: 'pelvareth', kinds: ['SDS011'] },
  { city: 'ishkaren', kinds: ['SPS30', 'weather mast', 'dust monitor'] },
  { city: 'ishkaren', kinds: BOTH },
  { city: 'ishkaren', kinds: ONE_BOX },
  { city: 'nalgoret', kinds: ['SDS011', 'weather mast'] },
  { city: 'nalgoret', kinds: BOTH },
  { city: 'ustrelia', kinds: MAST },
  { city: 'ustrelia', kinds: MAST },
  { city: 'ustrelia', kinds: ['BME280'] },
];
