/**
 * The small network of the simulation: four stations in one place, six sensors, a city with a
 * district and another city.
 */

export type Period = { since?: string; until?: string };
export type Placed = Period & { id: number };
export type Grouped = Period & { slug: string };
export type Corrected = Period & { formula: 'none' | 'epa-2021' };

/**
 * Everything the simulation changes in the network. A step contains all of it, so that steps can be
 * removed when shrinking. Cases of the corpus from before there was station 4 lack it.
 */
export type Network = {
  regions: Record<number, Grouped[]>;
  hidden: Record<number, Period[]>;
  bad_thp: Record<number, Period[]>;
  bad_pm?: Record<number, Period[]>;
  placed: Record<number, Placed[]>;
  suspicious: Record<number, Period[]>;
  corrected: Record<number, Corrected[]>;
};

/** Three of them are neighbours of the fourth (C9). */
export const STATIONS = [1, 2, 3, 4];
export const SENSORS = [11, 12, 21, 22, 31, 41];
/** Station 1 has sensors of one unstated kind, station 2 of two kinds (C9). */
export const KINDS: Readonly<Record<number, string>> = { 21: 'PMS5003', 22: 'BAM-1020' };
export const CITY = 'north';
export const DISTRICT = 'north-a';
export const REGIONS = [CITY, DISTRICT, 'south'];

/** Where a sensor is at first: sensor 21 at station 2. */
const stationOf = (sensor: number) => Math.floor(sensor / 10);

export const FIRST: Network = {
  regions: {
    1: [{ slug: 'north' }, { slug: 'north-a' }],
    2: [{ slug: 'north' }],
    3: [{ slug: 'south' }],
    4: [{ slug: 'north' }],
  },
  hidden: {},
  bad_thp: {},
  bad_pm: {},
  placed: Object.fromEntries(SENSORS.map((sensor) => [sensor, [{ id: stationOf(sensor) }]])),
  suspicious: {},
  corrected: { 12: [{ formula: 'epa-2021' }], 21: [{ formula: 'epa-2021' }] },
};

/** The network as a file that an operator would import. */
export function networkFile(network: Network, zone: string): string {
  return JSON.stringify({
    time_zone: zone,
    providers: [{ id: 'sim', title: 'Simulation', url: '', image: '', image_dark: '' }],
    regions: REGIONS.map((slug) => ({
      slug,
      kind: slug === DISTRICT ? 'district' : 'city',
      title: { en: slug },
      map: { latitude: 0, longitude: 0, delta: 0.2 },
      ...(slug === DISTRICT ? { city: CITY } : {}),
    })),
    stations: STATIONS.map((id) => ({
      id,
      provider: 'sim',
      title: { en: `Station ${id}` },
      latitude: 0,
      longitude: 0,
      regions: network.regions[id] ?? FIRST.regions[id],
      ...(network.hidden[id]?.length ? { hidden: network.hidden[id] } : {}),
      ...(network.bad_thp[id]?.length ? { is_bad_thp: network.bad_thp[id] } : {}),
      ...(network.bad_pm?.[id]?.length ? { is_bad_pm: network.bad_pm[id] } : {}),
      sensors: SENSORS.filter((sensor) => stationOf(sensor) === id).map((sensor) => ({
        id: sensor,
        ...(KINDS[sensor] === undefined ? {} : { kind: KINDS[sensor] }),
        stations: network.placed[sensor] ?? FIRST.placed[sensor],
        ...(network.suspicious[sensor]?.length ? { suspicious: network.suspicious[sensor] } : {}),
        ...(network.corrected[sensor]?.length ? { correction: network.corrected[sensor] } : {}),
      })),
    })),
  });
}
