/** The network of the benchmark as a network file: stations of two sensors each, in one city and five districts; and the year that changes. */

export const TIME_ZONE = 'Asia/Yerevan';
export const NOW = new Date('2026-11-20T12:00:00Z');

/** What is changed is changed for this year, given as an operator would: in the network's own time. */
export const YEAR = { since: '2025-11-01', until: '2026-11-01' };
const OFFSET = '+04:00';
export const yearBegins = Date.parse(`${YEAR.since}T00:00:00${OFFSET}`);
export const yearEnds = Date.parse(`${YEAR.until}T00:00:00${OFFSET}`);

type Period = { since?: string; until?: string };
type Sensor = {
  id: number;
  kind: string;
  correction?: string | (Period & { formula: string })[];
  stations?: (Period & { id: number })[];
};
type Station = {
  id: number;
  provider: string;
  title: { en: string };
  latitude: number;
  longitude: number;
  regions: (string | (Period & { slug: string }))[];
  is_bad_thp?: Period[];
  sensors: [pm: Sensor, climate: Sensor];
};
export type Network = {
  time_zone: string;
  providers: { id: string; title: string }[];
  regions: { slug: string; kind: string; city?: string; title: { en: string } }[];
  stations: Station[];
};

export const CITY = 'town';
const DISTRICTS = ['east', 'west', 'north', 'south', 'centre'];

export const districtOf = (station: number) => DISTRICTS[station % DISTRICTS.length] as string;
export const pmSensorOf = (station: number) => 2 * station - 1;
export const climateSensorOf = (station: number) => 2 * station;

export function makeNetwork(stations: number): Network {
  return {
    time_zone: TIME_ZONE,
    providers: [{ id: 'p', title: 'P' }],
    regions: [
      { slug: CITY, kind: 'city', title: { en: 'Town' } },
      ...DISTRICTS.map((slug) => ({ slug, kind: 'district', city: CITY, title: { en: slug } })),
    ],
    stations: Array.from({ length: stations }, (_, n) => makeStation(n + 1)),
  };
}

function makeStation(id: number): Station {
  return {
    id,
    provider: 'p',
    title: { en: `Station ${id}` },
    latitude: 40 + id / 1_000,
    longitude: 44 + id / 1_000,
    regions: [CITY, districtOf(id)],
    sensors: [
      { id: pmSensorOf(id), kind: 'PMS5003' },
      { id: climateSensorOf(id), kind: 'BME280' },
    ],
  };
}

/** The station in a network that is about to be changed. */
export function stationOf({ stations }: Network, id: number): Station {
  const station = stations.find((one) => one.id === id);
  if (station === undefined) throw new Error(`there is no station ${id}`);
  return station;
}
