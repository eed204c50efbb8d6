/** The invented network: network.json, an ordinary network file. No real place has one of its names, so the numbers can't be mistaken for real air. */
import { createRequire } from 'node:module';

type Title = { en: string; ru: string; hy: string };
type Region = {
  slug: string;
  kind: 'city' | 'district';
  title: Title;
  map: { latitude: number; longitude: number; delta: number };
  city?: string;
  is_hidden?: true;
};
export type DemoStation = {
  id: number;
  provider: string;
  title: Title;
  latitude: number;
  longitude: number;
  altitude: number;
  regions: string[];
  hidden?: true;
  is_bad_thp?: true;
  sensors: { id: number; kind: string }[];
};
export type DemoNetwork = {
  time_zone: string;
  providers: { id: string; title: string; url: string }[];
  regions: Region[];
  stations: DemoStation[];
};

const NETWORK = createRequire(import.meta.url)('./network.json') as Omit<DemoNetwork, 'time_zone'>;

export const DEMO_PROVIDERS: readonly string[] = NETWORK.providers.map(({ id }) => id);
/** A database with this provider contains the demo (state.ts). */
export const [DEMO_PROVIDER = ''] = DEMO_PROVIDERS;

/** The station that has been offline for some days. */
export const OFFLINE_STATION = 22;

/** A city, with what shapes its air. */
export type City = {
  slug: string;
  latitude: number;
  longitude: number;
  /** Metres above sea level. */
  altitude: number;
  /** Roughly the annual mean of PM2.5, µg/m³. */
  particles: number;
  /** Wind speed as a multiple of the country's. */
  wind: number;
};

const AIR: Readonly<Record<string, Pick<City, 'altitude' | 'particles' | 'wind'>>> = {
  velmora: { altitude: 120, particles: 25, wind: 0.9 },
  tarnesh: { altitude: 640, particles: 28, wind: 0.7 },
  okravel: { altitude: 15, particles: 12, wind: 1.6 },
  lisandor: { altitude: 310, particles: 19, wind: 1 },
  pelvareth: { altitude: 980, particles: 13, wind: 1.2 },
  ishkaren: { altitude: 450, particles: 29, wind: 0.8 },
  nalgoret: { altitude: 210, particles: 16, wind: 1.1 },
  ustrelia: { altitude: 1_850, particles: 8, wind: 1.4 },
};

export const CITIES: readonly City[] = NETWORK.regions.flatMap(({ slug, map: { latitude, longitude } }) => {
  const air = AIR[slug];
  return air === undefined ? [] : [{ slug, latitude, longitude, ...air }];
});

/** The same network every time, but for its time zone. */
export function demoNetwork(timeZone: string): DemoNetwork {
  return { time_zone: timeZone, ...NETWORK };
}
