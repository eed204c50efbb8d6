/**
 * The invented country of the demo, whose network file is `network.json`, and what its air is made
 * of. No real place has one of its names, so its numbers can't be mistaken for real air.
 */
import { createRequire } from 'node:module';
import type { Locale } from '../../contract/endpoints.ts';
import type { ParameterName } from '../../contract/parameters.ts';

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
type Title = Record<Locale, string>;

/** Its first region is its city. */
export type DemoStation = {
  id: number;
  provider: string;
  title: Title;
  latitude: number;
  longitude: number;
  altitude: number;
  regions: readonly [string, ...string[]];
  hidden?: boolean;
  is_bad_thp?: boolean;
  sensors: readonly { id: number; kind: Kind }[];
};

type DemoRegion = {
  slug: string;
  kind: 'city' | 'district';
  city?: string;
  title: Title;
  map: { latitude: number; longitude: number; delta: number };
  is_hidden?: boolean;
};

export type DemoNetwork = {
  time_zone: string;
  providers: readonly { id: string; title: Title }[];
  regions: readonly DemoRegion[];
  stations: readonly DemoStation[];
};

const FILE: Omit<DemoNetwork, 'time_zone'> = createRequire(import.meta.url)('./network.json');

/** A network file; the same every time, but for its time zone. */
export const demoNetwork = (timeZone: string): DemoNetwork => ({ time_zone: timeZone, ...FILE });

export const DEMO_PROVIDERS: readonly string[] = FILE.providers.map(({ id }) => id);
/** A database with this provider contains the demo. */
export const [DEMO_PROVIDER = ''] = DEMO_PROVIDERS;

/** The station that has been offline for some days. */
export const OFFLINE_STATION = 22;

/**
 * By city, roughly the annual mean of its PM2.5 [µg/m³], and its wind speed as a multiple of the
 * country's.
 */
const AIR: Readonly<Record<string, { particles: number; wind: number }>> = {
  velmora: { particles: 25, wind: 0.9 },
  tarnesh: { particles: 28, wind: 0.7 },
  okravel: { particles: 12, wind: 1.6 },
  lisandor: { particles: 19, wind: 1 },
  pelvareth: { particles: 13, wind: 1.2 },
  ishkaren: { particles: 29, wind: 0.8 },
  nalgoret: { particles: 16, wind: 1.1 },
  ustrelia: { particles: 8, wind: 1.4 },
};

export const CITIES = FILE.regions
  .filter(({ kind }) => kind === 'city')
  .map(({ slug, title, map }) => {
    const air = AIR[slug];
    if (air === undefined) throw new Error(`the demo has no air for ${slug}`);
    return { slug, title: title.en, latitude: map.latitude, longitude: map.longitude, ...air };
  });
