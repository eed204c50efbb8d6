/**
 * The invented country of the demo. No real place has one of its names, so its numbers can't be
 * mistaken for real air.
 */
import type { ParameterName } from '../../contract/parameters.ts';

/** In English, Russian and Armenian. */
type Title = readonly [en: string, ru: string, hy: string];

/** The street of a station, and the kinds of its sensors. */
type Street = readonly [...Title, ...Kind[]];

type Point = { latitude: number; longitude: number };

type City = Point & {
  title: Title;
  /** In metres; its stations lie up to a tenth higher or lower. */
  altitude: number;
  /** Roughly the annual mean of PM2.5, µg/m³. */
  particles: number;
  /** Wind speed as a multiple of the country's. */
  wind: number;
  districts: readonly { title: Title; streets: readonly Street[] }[];
  /** Streets with stations outside the districts. */
  streets: readonly Street[];
};

type Kind = keyof typeof INSTRUMENTS;

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

/** Stations are numbered in the order of their streets. */
export const CITIES: readonly City[] = [
  {
    title: ['Velmora', 'Велмора', 'Վելմորա'],
    latitude: 45.1,
    longitude: -39.2,
    altitude: 120,
    particles: 25,
    wind: 0.9,
    districts: [
      {
        title: ['Asteren', 'Астерен', 'Աստերեն'],
        streets: [
          ['Lantern', 'Фонарная', 'Լապտերների', 'SDS011', 'BME280'],
          ['Mill', 'Мельничная', 'Ջրաղացի', 'SPS30', 'BME280'],
        ],
      },
      {
        title: ['Kestrava', 'Кестрава', 'Կեստրավա'],
        streets: [
          [
            'Observatory',
            'Обсерваторная',
            'Աստղադիտարանի',
            'SPS30',
            'weather mast',
            'gas analyser',
            'Geiger counter',
          ],
          ['Poplar', 'Тополиная', 'Բարդիների', 'SDS011', 'BME280'],
        ],
      },
      {
        title: ['Lundoreth', 'Лундорет', 'Լունդորեթ'],
        streets: [
          ['School', 'Школьная', 'Դպրոցի', 'PMS5003T'],
          ['Railway', 'Железнодорожная', 'Երկաթուղու', 'SDS011', 'BME280'],
        ],
      },
      {
        title: ['Mirovane', 'Мироване', 'Միրովանե'],
        streets: [
          ['Library', 'Библиотечная', 'Գրադարանի', 'SDS011', 'BME280'],
          ['Park', 'Парковая', 'Զբոսայգու', 'SPS30', 'BME280'],
        ],
      },
      {
        title: ['Orlesk', 'Орлеск', 'Օրլեսկ'],
        streets: [
          ['Potters', 'Гончарная', 'Բրուտների', 'SDS011'],
          ['Weavers', 'Ткацкая', 'Ջուլհակների', 'PMS5003T'],
        ],
      },
      {
        title: ['Palvesta', 'Палвеста', 'Պալվեստա'],
        streets: [['University', 'Университетская', 'Համալսարանի', 'PMS5003T']],
      },
    ],
    streets: [['Museum', 'Музейная', 'Թանգարանի', 'SDS011', 'BME280']],
  },
  {
    title: ['Tarnesh', 'Тарнеш', 'Տարնեշ'],
    latitude: 45.45,
    longitude: -38.85,
    altitude: 640,
    particles: 28,
    wind: 0.7,
    districts: [
      {
        title: ['Elkorosh', 'Элкорош', 'Էլկորոշ'],
        streets: [
          ['Copper', 'Медная', 'Պղնձի', 'SPS30', 'weather mast', 'gas analyser', 'dust monitor'],
          ['Bakers', 'Пекарская', 'Հացթուխների', 'SDS011', 'BME280'],
        ],
      },
      {
        title: ['Sardolin', 'Сардолин', 'Սարդոլին'],
        streets: [
          ['Theatre', 'Театральная', 'Թատրոնի', 'SDS011', 'BME280'],
          ['Clockmakers', 'Часовая', 'Ժամագործների', 'PMS5003T'],
        ],
      },
      {
        title: ['Vintrey', 'Винтрей', 'Վինտրեյ'],
        streets: [
          ['Garden', 'Садовая', 'Այգիների', 'SDS011', 'BME280'],
          ['Bridge', 'Мостовая', 'Կամրջի', 'SPS30', 'BME280'],
        ],
      },
    ],
    streets: [['Meadow', 'Луговая', 'Մարգագետնի', 'SDS011']],
  },
  {
    title: ['Okravel', 'Окравел', 'Օկրավել'],
    latitude: 44.85,
    longitude: -39.75,
    altitude: 15,
    particles: 12,
    wind: 1.6,
    districts: [
      {
        title: ['Rosmeny', 'Росмени', 'Ռոսմենի'],
        streets: [
          ['Harbour', 'Портовая', 'Նավահանգստի', 'SDS011', 'weather mast'],
          ['Lighthouse', 'Маячная', 'Փարոսի', 'SDS011', 'BME280'],
        ],
      },
      {
        title: ['Tulvane', 'Тулване', 'Տուլվանե'],
        streets: [
          ['Ferry', 'Паромная', 'Լաստանավի', 'SDS011', 'BME280'],
          ['Swallow', 'Ласточкина', 'Ծիծեռնակի', 'SPS30', 'BME280'],
        ],
      },
    ],
    streets: [['Willow', 'Ивовая', 'Ուռենու', 'PMS5003T']],
  },
  {
    title: ['Lisandor', 'Лисандор', 'Լիսանդոր'],
    latitude: 45.3,
    longitude: -39.65,
    altitude: 310,
    particles: 19,
    wind: 1,
    districts: [
      {
        title: ['Zamirel', 'Замирел', 'Զամիրել'],
        streets: [
          ['Vineyard', 'Виноградная', 'Խաղողի', 'SDS011', 'weather mast'],
          ['Apricot', 'Абрикосовая', 'Ծիրանի', 'SDS011', 'BME280'],
        ],
      },
    ],
    streets: [
      ['Walnut', 'Ореховая', 'Ընկուզենու', 'SPS30', 'BME280'],
      ['Riverside', 'Речная', 'Գետափնյա', 'BME280', 'Geiger counter'],
    ],
  },
  {
    title: ['Pelvareth', 'Пелварет', 'Պելվարեթ'],
    latitude: 45.7,
    longitude: -39.35,
    altitude: 940,
    particles: 13,
    wind: 1.2,
    districts: [],
    streets: [
      ['Pine', 'Сосновая', 'Սոճիների', 'SPS30', 'weather mast'],
      ['Mountain', 'Горная', 'Լեռնային', 'PMS5003T'],
      ['Spring', 'Родниковая', 'Աղբյուրի', 'PMS5003T'],
      ['Honey', 'Медовая', 'Մեղրի', 'SDS011'],
    ],
  },
  {
    title: ['Ishkaren', 'Ишкарен', 'Իշկարեն'],
    latitude: 44.9,
    longitude: -38.75,
    altitude: 480,
    particles: 29,
    wind: 0.8,
    districts: [],
    streets: [
      ['Maple', 'Кленовая', 'Թխկու', 'SPS30', 'weather mast', 'dust monitor'],
      ['Silver', 'Серебряная', 'Արծաթի', 'SDS011', 'BME280'],
      ['Wheat', 'Пшеничная', 'Ցորենի', 'PMS5003T'],
    ],
  },
  {
    title: ['Nalgoret', 'Налгорет', 'Նալգորետ'],
    latitude: 44.6,
    longitude: -39.2,
    altitude: 195,
    particles: 16,
    wind: 1.1,
    districts: [],
    streets: [
      ['Stork', 'Аистовая', 'Արագիլի', 'SDS011', 'weather mast'],
      ['Southern', 'Южная', 'Հարավային', 'SDS011', 'BME280'],
    ],
  },
  {
    title: ['Ustrelia', 'Устрелия', 'Ուստրելիա'],
    latitude: 45.75,
    longitude: -38.6,
    altitude: 1_900,
    particles: 8,
    wind: 1.4,
    districts: [],
    streets: [
      ['Snow', 'Снежная', 'Ձյան', 'weather mast'],
      ['Glacier', 'Ледниковая', 'Սառցադաշտի', 'weather mast'],
      ['Sunny', 'Солнечная', 'Արևոտ', 'BME280'],
    ],
  },
];

const PROVIDERS = [
  {
    id: 'airseries-demo',
    title: titleOf([
      'airseries demo (invented data)',
      'Демо airseries (данные вымышлены)',
      'airseries ցուցադրություն (հորինված տվյալներ)',
    ]),
  },
  {
    id: 'airseries-demo-volunteers',
    title: titleOf([
      'airseries demo volunteers (invented data)',
      'Волонтёры демо airseries (данные вымышлены)',
      'airseries ցուցադրության կամավորներ (հորինված տվյալներ)',
    ]),
  },
];
export const DEMO_PROVIDERS: readonly string[] = PROVIDERS.map(({ id }) => id);
/** A database with this provider contains the demo. */
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
  const areas = CITIES.map(areasOf);
  const sites = areas.flatMap(([city, ...districts]) => [...districts, city].flatMap(sitesOf));
  return {
    time_zone: timeZone,
    providers: PROVIDERS.map((provider) => ({ ...provider, stale_after: '3 hours' })),
    regions: areas.flat().map(({ region }) => region),
    stations: sites.map(makeStation),
  };
}

export const slugOf = ({ title: [en] }: { title: Title }): string => en.toLowerCase();

function titleOf([en, ru, hy]: Title) {
  return { en, ru, hy };
}

type Region = {
  slug: string;
  kind: 'city' | 'district';
  title: ReturnType<typeof titleOf>;
  map: Point & { delta: number };
  city?: string;
  is_hidden?: boolean;
};

/** A region with its stations' streets, and the city that it is or is in. */
type Area = { region: Region; city: City; streets: readonly Street[] };

/**
 * The city, then its districts, which lie on a circle around the middle of it, the first in the
 * north.
 */
function areasOf(city: City): [Area, ...Area[]] {
  const { title, latitude, longitude, districts, streets } = city;
  const slug = slugOf(city);
  const region: Region = {
    slug,
    kind: 'city',
    title: titleOf(title),
    map: { latitude, longitude, delta: 0.2 },
    is_hidden: slug === HIDDEN_CITY,
  };
  const around = districts.map((district, index): Area => {
    const map = { ...pointAround(city, 0.035, index / districts.length), delta: 0.05 };
    return {
      region: {
        slug: slugOf(district),
        kind: 'district',
        title: titleOf(district.title),
        map,
        city: slug,
      },
      city,
      streets: district.streets,
    };
  });
  return [{ region, city, streets }, ...around];
}

const sitesOf = (area: Area) => area.streets.map((street) => ({ ...area, street }));

function makeStation({ region, city, street }: ReturnType<typeof sitesOf>[number], index: number) {
  const id = index + 1;
  const house = 1 + ((17 * index) % 60);
  const [en, ru, hy, ...kinds] = street;
  return {
    id,
    provider: DEMO_PROVIDERS[id % 3 === 0 ? 1 : 0] as string,
    title: {
      en: `${house} ${en} Street`,
      ru: `ул. ${ru}, ${house}`,
      hy: `${hy} փողոց ${house}`,
    },
    ...pointAround(region.map, 0.004 + 0.001 * (index % 8), 0.382 * index),
    altitude: Math.round(city.altitude * (1 + 0.1 * Math.sin(index))),
    regions: [...new Set([slugOf(city), region.slug])],
    hidden: id === HIDDEN_STATION,
    is_bad_thp: id === FLAGGED_STATION,
    sensors: kinds.map((kind, n) => ({ id: 10 * id + n + 1, kind })),
  };
}

/** The position at a distance in degrees, in a direction in turns from north. */
function pointAround({ latitude, longitude }: Point, distance: number, turns: number): Point {
  const angle = 2 * Math.PI * turns;
  const round = (degrees: number) => Math.round(degrees * 10_000) / 10_000;
  return {
    latitude: round(latitude + distance * Math.cos(angle)),
    longitude: round(longitude + distance * Math.sin(angle)),
  };
}
