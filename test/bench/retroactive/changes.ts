/** The four changes of the past, each of one station: what the file says afterwards, and where in the API that must show. */
import { districtOf, type Network, stationOf, YEAR } from './network.ts';

/** A field of the months of a history that is another one in every month of the year once the change is through. */
export type Mark = { path: string; field: string };

export type Change = {
  name: string;
  change(network: Network): void;
  marks: Mark[];
};

const [MOVED, HOST, CORRECTED, FLAGGED, MEMBER] = [1, 12, 23, 34, 45];
/** Their readings differ so much from the others' that a region's month shows it when they are left out. */
export const HOT_STATIONS: ReadonlySet<number> = new Set([FLAGGED]);

const before = { until: YEAR.since };
const after = { since: YEAR.until };
const station = (id: number, field: string) => ({ path: `station/${id}-history.json`, field });
const region = (slug: string, field: string) => ({ path: `region/${slug}-history.json`, field });

const placement: Change = {
  name: 'placement',
  change(network) {
    stationOf(network, MOVED).sensors[0].stations = [
      { id: MOVED, ...before },
      { id: HOST, ...YEAR },
      { id: MOVED, ...after },
    ];
  },
  marks: [station(MOVED, 'avg_pm25'), station(HOST, 'avg_pm25')],
};

const formula: Change = {
  name: 'formula',
  change(network) {
    stationOf(network, CORRECTED).sensors[0].correction = [{ formula: 'epa-2021', ...YEAR }];
  },
  marks: [station(CORRECTED, 'avg_pm25')],
};

const flag: Change = {
  name: 'flag',
  change(network) {
    stationOf(network, FLAGGED).is_bad_thp = [YEAR];
  },
  marks: [region(districtOf(FLAGGED), 'avg_temperature')],
};

const membership: Change = {
  name: 'membership',
  change(network) {
    const [city = '', own] = [stationOf(network, MEMBER).regions[0], districtOf(MEMBER)];
    stationOf(network, MEMBER).regions = [
      city,
      { slug: own, ...before },
      { slug: districtOf(MEMBER + 1), ...YEAR },
      { slug: own, ...after },
    ];
  },
  marks: [region(districtOf(MEMBER), 'station_count'), region(districtOf(MEMBER + 1), 'station_count')],
};

export const CHANGES: readonly Change[] = [placement, formula, flag, membership];
