/** The invented network: network.json, an ordinary network file. No real place has one of its names, so the numbers can't be mistaken for real air. */
import { createRequire } from 'node:module';

const NETWORK = createRequire(import.meta.url)('./network.json') as typeof import('./network.json');

export type DemoNetwork = typeof NETWORK & { time_zone: string };
export type DemoStation = (typeof NETWORK.stations)[number];

export const DEMO_PROVIDERS: readonly string[] = NETWORK.providers.map(({ id }) => id);
/** A database with this provider contains the demo (lifecycle.ts). */
export const [DEMO_PROVIDER = ''] = DEMO_PROVIDERS;

/** The station that has been offline for some days. */
export const OFFLINE_STATION = 22;

/** A city, with what shapes its air. */
export type City = {
  slug: string;
  /** Its random numbers. */
  number: number;
  /** Roughly the annual mean of PM2.5, µg/m³. */
  particles: number;
  /** Wind speed as a multiple of the country's. */
  wind: number;
};

export const CITIES: readonly City[] = [
  { slug: 'velmora', number: 1, particles: 25, wind: 0.9 },
  { slug: 'tarnesh', number: 2, particles: 28, wind: 0.7 },
  { slug: 'okravel', number: 3, particles: 12, wind: 1.6 },
  { slug: 'lisandor', number: 4, particles: 19, wind: 1 },
  { slug: 'pelvareth', number: 5, particles: 13, wind: 1.2 },
  { slug: 'ishkaren', number: 6, particles: 29, wind: 0.8 },
  { slug: 'nalgoret', number: 7, particles: 16, wind: 1.1 },
  { slug: 'ustrelia', number: 8, particles: 8, wind: 1.4 },
];

/** The same network every time, but for its time zone. */
export function demoNetwork(timeZone: string): DemoNetwork {
  return { time_zone: timeZone, ...NETWORK };
}
