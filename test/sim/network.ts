/**
 * The small network of the simulation: three stations, five sensors, a city with a district and
 * another city.
 */

export type Period = { since?: string; until?: string };
export type Placed = Period & { id: number };
export type Grouped = Period & { slug: string };
export type Corrected = Period & { formula: 'none' | 'epa-2021' };

/**
 * Everything the simulation changes in the network. A step contains all of it, so that steps can be
 * removed when shrinking.
 */
export type Network = {
  regions: Record<number, Grouped[]>;
  hidden: Record<number, Period[]>;
  bad_thp: Record<number, Period[]>;
  bad_pm?: Record<number, Period[]>; // cases of the corpus from before it have none
  placed: Record<number, Placed[]>;
  suspicious: Record<number, Period[]>;
  corrected: Record<number, Corrected[]>;
};

export const STATIONS = [1, 2, 3];
export const SENSORS = [11, 12, 21, 22, 31];
export const REGIONS = ['north', 'north-a', 'south'];

export const FIRST: Network = {
  regions: {
    1: [{ slug: 'north' }, { slug: 'north-a' }],
    2: [{ slug: 'north' }],
    3: [{ slug: 'south' }],
  },
  hidden: { 1: [], 2: [], 3: [] },
  bad_thp: { 1: [], 2: [], 3: [] },
  bad_pm: { 1: [], 2: [], 3: [] },
  placed: { 11: [{ id: 1 }], 12: [{ id: 1 }], 21: [{ id: 2 }], 22: [{ id: 2 }], 31: [{ id: 3 }] },
  suspicious: { 11: [], 12: [], 21: [], 22: [], 31: [] },
  corrected: {
    11: [],
    12: [{ formula: 'epa-2021' }],
    21: [{ formula: 'epa-2021' }],
    22: [],
    31: [],
  },
};

/** The network as a file that an operator would import. */
export function networkFile(network: Network, zone: string): string {
  const initialStations = new Map(SENSORS.map((sensor) => [sensor, Math.floor(sensor / 10)]));
  return JSON.stringify({
    time_zone: zone,
    providers: [{ id: 'sim', title: 'Simulation', url: '', image: '', image_dark: '' }],
    regions: REGIONS.map((slug) => ({
      slug,
      kind: slug === 'north-a' ? 'district' : 'city',
      title: { en: slug },
      map: { latitude: 0, longitude: 0, delta: 0.2 },
      ...(slug === 'north-a' ? { city: 'north' } : {}),
    })),
    stations: STATIONS.map((id) => ({
      id,
      provider: 'sim',
      title: { en: `Station ${id}` },
      latitude: 0,
      longitude: 0,
      regions: network.regions[id],
      ...(network.hidden[id]?.length ? { hidden: network.hidden[id] } : {}),
      ...(network.bad_thp[id]?.length ? { is_bad_thp: network.bad_thp[id] } : {}),
      ...(network.bad_pm?.[id]?.length ? { is_bad_pm: network.bad_pm[id] } : {}),
      sensors: SENSORS.filter((sensor) => initialStations.get(sensor) === id).map((sensor) => ({
        id: sensor,
        stations: network.placed[sensor],
        ...(network.suspicious[sensor]?.length ? { suspicious: network.suspicious[sensor] } : {}),
        ...(network.corrected[sensor]?.length ? { correction: network.corrected[sensor] } : {}),
      })),
    })),
  });
}
