/** Makes the invented network of the demo. No real place has one of its names, so its numbers can't be mistaken for real air. */
import type { ParameterName } from '../../contract/parameters.ts';

type Title = { en: string; ru: string; hy: string };
type Point = { latitude: number; longitude: number };

/** A city or district, and how many stations it has; those of a city are in none of its districts. */
type Place = { slug: string; title: Title; stations: number };

/** The traits of a city that shape its air. */
type Traits = {
  /** In metres; its stations lie up to a tenth higher or lower. */
  altitude: number;
  /** Roughly the annual mean of PM2.5, µg/m³. */
  particles: number;
  /** Wind speed as a multiple of the country's. */
  wind: number;
};

export type City = Place & Point & Traits;

const place = (en: string, ru: string, hy: string, stations: number): Place => ({
  slug: en.toLowerCase(),
  title: { en, ru, hy },
  stations,
});

const city = (own: Place, [latitude, longitude]: [number, number], traits: Traits): City => ({
  ...own,
  ...{ latitude, longitude },
  ...traits,
});

export const CITIES: readonly City[] = [
  city(place('Velmora', 'Велмора', 'Վելմորա', 1), [45.1, -39.2], {
    altitude: 120,
    particles: 25,
    wind: 0.9,
  }),
  city(place('Tarnesh', 'Тарнеш', 'Տարնեշ', 1), [45.45, -38.85], {
    altitude: 640,
    particles: 28,
    wind: 0.7,
  }),
  city(place('Okravel', 'Окравел', 'Օկրավել', 1), [44.85, -39.75], {
    altitude: 15,
    particles: 12,
    wind: 1.6,
  }),
  city(place('Lisandor', 'Лисандор', 'Լիսանդոր', 2), [45.3, -39.65], {
    altitude: 310,
    particles: 19,
    wind: 1,
  }),
  city(place('Pelvareth', 'Пелварет', 'Պելվարեթ', 4), [45.7, -39.35], {
    altitude: 940,
    particles: 13,
    wind: 1.2,
  }),
  city(place('Ishkaren', 'Ишкарен', 'Իշկարեն', 3), [44.9, -38.75], {
    altitude: 480,
    particles: 29,
    wind: 0.8,
  }),
  city(place('Nalgoret', 'Налгорет', 'Նալգորետ', 2), [44.6, -39.2], {
    altitude: 195,
    particles: 16,
    wind: 1.1,
  }),
  city(place('Ustrelia', 'Устрелия', 'Ուստրելիա', 3), [45.75, -38.6], {
    altitude: 1_900,
    particles: 8,
    wind: 1.4,
  }),
];

/** By the slug of their city. */
const DISTRICTS: Readonly<Record<string, Place[]>> = {
  velmora: [
    place('Asteren', 'Астерен', 'Աստերեն', 2),
    place('Kestrava', 'Кестрава', 'Կեստրավա', 2),
    place('Lundoreth', 'Лундорет', 'Լունդորեթ', 2),
    place('Mirovane', 'Мироване', 'Միրովանե', 2),
    place('Orlesk', 'Орлеск', 'Օրլեսկ', 2),
    place('Palvesta', 'Палвеста', 'Պալվեստա', 1),
  ],
  tarnesh: [
    place('Elkorosh', 'Элкорош', 'Էլկորոշ', 2),
    place('Sardolin', 'Сардолин', 'Սարդոլին', 2),
    place('Vintrey', 'Винтрей', 'Վինտրեյ', 2),
  ],
  okravel: [place('Rosmeny', 'Росмени', 'Ռոսմենի', 2), place('Tulvane', 'Тулване', 'Տուլվանե', 2)],
  lisandor: [place('Zamirel', 'Замирел', 'Զամիրել', 2)],
};

/** The parameters that each kind of sensor measures. */
export const INSTRUMENTS = {
  SDS011: ['pm25', 'pm10'],
  SPS30: ['pm1', 'pm25', 'pm10'],
  PMS5003T: ['temperature', 'humidity', 'pm1', 'pm25', 'pm25_raw', 'pm10'],
  BME280: ['temperature', 'humidity', 'pressure'],
  'weather mast': [
    'temperature',
    'humidity',
    'pressure',
    'uv',
    'wind_speed',
    'wind_direction',
    'rain',
  ],
  'gas analyser': ['no2', 'so2', 'o3'],
  'dust monitor': ['dust'],
  'Geiger counter': ['usvh'],
} as const satisfies Record<string, readonly ParameterName[]>;

type Kind = keyof typeof INSTRUMENTS;
type Street = { title: Title; kinds: Kind[] };

const street = (en: string, ru: string, hy: string, ...kinds: Kind[]): Street => ({
  title: { en, ru, hy },
  kinds,
});

/** One street for each station, with the kinds of its sensors; in the order of CITIES, of each city the districts first. */
const STREETS: readonly Street[] = [
  street('Lantern', 'Фонарная', 'Լապտերների', 'SDS011', 'BME280'),
  street('Mill', 'Мельничная', 'Ջրաղացի', 'SPS30', 'BME280'),
  street(
    'Observatory',
    'Обсерваторная',
    'Աստղադիտարանի',
    'SPS30',
    'weather mast',
    'gas analyser',
    'Geiger counter',
  ),
  street('Poplar', 'Тополиная', 'Բարդիների', 'SDS011', 'BME280'),
  street('School', 'Школьная', 'Դպրոցի', 'PMS5003T'),
  street('Railway', 'Железнодорожная', 'Երկաթուղու', 'SDS011', 'BME280'),
  street('Library', 'Библиотечная', 'Գրադարանի', 'SDS011', 'BME280'),
  street('Park', 'Парковая', 'Զբոսայգու', 'SPS30', 'BME280'),
  street('Potters', 'Гончарная', 'Բրուտների', 'SDS011'),
  street('Weavers', 'Ткацкая', 'Ջուլհակների', 'PMS5003T'),
  street('University', 'Университетская', 'Համալսարանի', 'PMS5003T'),
  street('Museum', 'Музейная', 'Թանգարանի', 'SDS011', 'BME280'),
  street('Copper', 'Медная', 'Պղնձի', 'SPS30', 'weather mast', 'gas analyser', 'dust monitor'),
  street('Bakers', 'Пекарская', 'Հացթուխների', 'SDS011', 'BME280'),
  street('Theatre', 'Театральная', 'Թատրոնի', 'SDS011', 'BME280'),
  street('Clockmakers', 'Часовая', 'Ժամագործների', 'PMS5003T'),
  street('Garden', 'Садовая', 'Այգիների', 'SDS011', 'BME280'),
  street('Bridge', 'Мостовая', 'Կամրջի', 'SPS30', 'BME280'),
  street('Meadow', 'Луговая', 'Մարգագետնի', 'SDS011'),
  street('Harbour', 'Портовая', 'Նավահանգստի', 'SDS011', 'weather mast'),
  street('Lighthouse', 'Маячная', 'Փարոսի', 'SDS011', 'BME280'),
  street('Ferry', 'Паромная', 'Լաստանավի', 'SDS011', 'BME280'),
  street('Swallow', 'Ласточкина', 'Ծիծեռնակի', 'SPS30', 'BME280'),
  street('Willow', 'Ивовая', 'Ուռենու', 'PMS5003T'),
  street('Vineyard', 'Виноградная', 'Խաղողի', 'SDS011', 'weather mast'),
  street('Apricot', 'Абрикосовая', 'Ծիրանի', 'SDS011', 'BME280'),
  street('Walnut', 'Ореховая', 'Ընկուզենու', 'SPS30', 'BME280'),
  street('Riverside', 'Речная', 'Գետափնյա', 'BME280', 'Geiger counter'),
  street('Pine', 'Сосновая', 'Սոճիների', 'SPS30', 'weather mast'),
  street('Mountain', 'Горная', 'Լեռնային', 'PMS5003T'),
  street('Spring', 'Родниковая', 'Աղբյուրի', 'PMS5003T'),
  street('Honey', 'Медовая', 'Մեղրի', 'SDS011'),
  street('Maple', 'Кленовая', 'Թխկու', 'SPS30', 'weather mast', 'dust monitor'),
  street('Silver', 'Серебряная', 'Արծաթի', 'SDS011', 'BME280'),
  street('Wheat', 'Пшеничная', 'Ցորենի', 'PMS5003T'),
  street('Stork', 'Аистовая', 'Արագիլի', 'SDS011', 'weather mast'),
  street('Southern', 'Южная', 'Հարավային', 'SDS011', 'BME280'),
  street('Snow', 'Снежная', 'Ձյան', 'weather mast'),
  street('Glacier', 'Ледниковая', 'Սառցադաշտի', 'weather mast'),
  street('Sunny', 'Солнечная', 'Արևոտ', 'BME280'),
];

export const DEMO_PROVIDERS: readonly string[] = ['airseries-demo', 'airseries-demo-volunteers'];
/** A database with this provider contains the demo (lifecycle.ts). */
export const [DEMO_PROVIDER = ''] = DEMO_PROVIDERS;

/** The station that has been offline for some days. */
export const OFFLINE_STATION = 22;
/** The station whose thermometer hangs in the sun. */
const FLAGGED_STATION = 7;
const HIDDEN_STATION = 12;
const HIDDEN_CITY = 'nalgoret';

export type DemoNetwork = ReturnType<typeof demoNetwork>;
export type DemoStation = DemoNetwork['stations'][number];

/** A network file; the same every time, but for its time zone. */
export function demoNetwork(timeZone: string) {
  const areas = CITIES.map((each) => ({ whole: cityArea(each), districts: districtAreas(each) }));
  const byStation = areas.flatMap(({ whole, districts }) => [...districts, whole]);
  return {
    time_zone: timeZone,
    providers: DEMO_PROVIDERS.map((id) => ({
      id,
      title: `${id.replaceAll('-', ' ')} (invented data)`,
      stale_after: '3 hours',
    })),
    regions: areas
      .flatMap(({ whole, districts }) => [whole, ...districts])
      .map(({ region }) => region),
    stations: byStation
      .flatMap((area) => Array.from({ length: area.stations }, () => area))
      .map(makeStation),
  };
}

type Region = Pick<Place, 'slug' | 'title'> & {
  kind: string;
  map: Point & { delta: number };
  city?: string;
  is_hidden?: boolean;
};

/** A region with the city that it is or is in, and how many stations are in it. */
type Area = { region: Region; city: City; stations: number };

function cityArea(own: City): Area {
  const { slug, title, stations, latitude, longitude } = own;
  const map = { latitude, longitude, delta: 0.2 };
  return {
    region: { slug, kind: 'city', title, map, is_hidden: slug === HIDDEN_CITY },
    city: own,
    stations,
  };
}

/** Districts lie on a circle around the middle of their city, the first in the north. */
function districtAreas(own: City): Area[] {
  const districts = DISTRICTS[own.slug] ?? [];
  return districts.map(({ slug, title, stations }, n) => {
    const map = { ...around(own, 0.035, n / districts.length), delta: 0.05 };
    return { region: { slug, kind: 'district', title, map, city: own.slug }, city: own, stations };
  });
}

function makeStation({ region, city: { slug, altitude } }: Area, index: number) {
  const id = index + 1;
  const house = 1 + ((17 * index) % 60);
  const { title, kinds } = STREETS[index] as Street;
  return {
    id,
    provider: DEMO_PROVIDERS[id % 3 === 0 ? 1 : 0] as string,
    title: {
      en: `${house} ${title.en} Street`,
      ru: `ул. ${title.ru}, ${house}`,
      hy: `${title.hy} փողոց ${house}`,
    },
    ...around(region.map, 0.004 + 0.001 * (index % 8), 0.382 * index),
    altitude: Math.round(altitude * (1 + 0.1 * Math.sin(index))),
    regions: [...new Set([slug, region.slug])],
    hidden: id === HIDDEN_STATION,
    is_bad_thp: id === FLAGGED_STATION,
    sensors: kinds.map((kind, n) => ({ id: 10 * id + n + 1, kind })),
  };
}

/** The position at a distance in degrees, in a direction in turns from north. */
function around({ latitude, longitude }: Point, distance: number, turns: number): Point {
  const angle = 2 * Math.PI * turns;
  const round = (degrees: number) => Math.round(degrees * 10_000) / 10_000;
  return {
    latitude: round(latitude + distance * Math.cos(angle)),
    longitude: round(longitude + distance * Math.sin(angle)),
  };
}
