/** The invented network in the format of a network file. */
import { CITIES, type City, type Title } from './cities.ts';
import { address, SITES, type Site } from './stations.ts';

type DemoRegion = {
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
  providers: { id: string; title: string; url: string; image: string; image_dark: string; stale_after: string }[];
  regions: DemoRegion[];
  stations: DemoStation[];
};

/** A database with this provider contains the demo (state.ts). */
export const DEMO_PROVIDER = 'airseries-demo';
const VOLUNTEERS = 'airseries-demo-volunteers';
export const DEMO_PROVIDERS: readonly string[] = [DEMO_PROVIDER, VOLUNTEERS];

/** Degrees from the middle of a city to its districts, in latitude and longitude alike, although the latter are shorter so far north. */
const DISTRICT_DISTANCE = 0.035;
const GOLDEN_ANGLE = 2.399963;

/** The same network every time, but for its time zone. */
export function demoNetwork(timeZone: string): DemoNetwork {
  return {
    time_zone: timeZone,
    providers: [
      provider(DEMO_PROVIDER, 'airseries demo (invented data)'),
      provider(VOLUNTEERS, 'airseries demo volunteers (invented data)'),
    ],
    regions: CITIES.flatMap((city) => [cityRegion(city), ...city.districts.map((_, n) => districtRegion(city, n))]),
    stations: SITES.map(station),
  };
}

function provider(id: string, title: string) {
  return { id, title, url: '', image: '', image_dark: '', stale_after: '3 hours' };
}

function cityRegion(city: City): DemoRegion {
  const map = { latitude: city.latitude, longitude: city.longitude, delta: 0.2 };
  return { slug: city.slug, kind: 'city', title: city.title, map, ...(city.hidden ? { is_hidden: true } : {}) };
}

/** Districts are arranged in a circle around the middle of their city. */
function districtRegion(city: City, n: number): DemoRegion {
  const district = city.districts[n];
  if (district === undefined) throw new Error(`${city.slug} has no district ${n}`);
  const angle = (2 * Math.PI * n) / city.districts.length;
  const map = {
    latitude: degrees(city.latitude + DISTRICT_DISTANCE * Math.cos(angle)),
    longitude: degrees(city.longitude + DISTRICT_DISTANCE * Math.sin(angle)),
    delta: 0.05,
  };
  return { ...district, kind: 'district', map, city: city.slug };
}

function station(site: Site, n: number): DemoStation {
  const id = n + 1;
  const city = CITIES.find(({ slug }) => slug === site.city);
  if (city === undefined) throw new Error(`no city ${site.city}`);
  const district = city.districts.findIndex(({ slug }) => slug === site.district);
  const { map } = district === -1 ? cityRegion(city) : districtRegion(city, district);
  const distance = 0.004 * (1 + (n % 3));
  return {
    id,
    provider: id % 3 === 0 ? VOLUNTEERS : DEMO_PROVIDER,
    title: address(n),
    latitude: degrees(map.latitude + distance * Math.cos(n * GOLDEN_ANGLE)),
    longitude: degrees(map.longitude + distance * Math.sin(n * GOLDEN_ANGLE)),
    altitude: Math.round(city.altitude + city.altitude * 0.1 * Math.sin(n)),
    regions: site.district === undefined ? [site.city] : [site.city, site.district],
    ...(site.hidden ? { hidden: true } : {}),
    ...(site.badThp ? { is_bad_thp: true } : {}),
    sensors: site.kinds.map((kind, index) => ({ id: id * 10 + index + 1, kind })),
  };
}

/** Rounded to about 10 m. */
function degrees(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
