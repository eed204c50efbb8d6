/**
 * The places that readings give themselves: a sensor may have moved (S9). The network says whether
 * it did.
 */
import { readNumber } from '../numbers.ts';
import { cellAt, type Row } from '../rows/row.ts';
import type { PlaceColumns } from './place.ts';
import type { ReadingInput } from './reading.ts';

/** A place that readings of a sensor or device give, and the times of the first and the last. */
export type OwnPlace = {
  sensorId: unknown;
  device: string | undefined;
  latitude: number;
  longitude: number;
  /** The field with the latitude. */
  name: string;
  first: string;
  last: string;
};

/** By sensor or device, and place. */
export type OwnPlaces = ReadonlyMap<string, OwnPlace>;

/** A bound for memory: a receiver without a fix wanders. */
const MOST_PLACES = 20_000;

export function makeOwnPlaces() {
  const all = new Map<string, OwnPlace>();
  return {
    /** To be compared with the network. */
    all: all as OwnPlaces,
    /** Notes the place of a row, to 100 m. A receiver that has no fix says 0, 0. */
    see(row: Row, columns: PlaceColumns, { sensorId, device, measuredAt }: ReadingInput): void {
      const latitude = readNumber(cellAt(row, columns.latitude));
      const longitude = readNumber(cellAt(row, columns.longitude));
      if (typeof latitude !== 'number' || typeof longitude !== 'number') return;
      if (typeof measuredAt !== 'string' || (latitude === 0 && longitude === 0)) return;
      if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return;
      const key = [sensorId ?? device, latitude.toFixed(3), longitude.toFixed(3)].join(' ');
      const known = all.get(key);
      if (known !== undefined) {
        if (measuredAt < known.first) known.first = measuredAt;
        else if (measuredAt > known.last) known.last = measuredAt;
      } else if (all.size < MOST_PLACES) {
        const { name } = columns;
        const times = { first: measuredAt, last: measuredAt };
        all.set(key, { sensorId, device, latitude, longitude, name, ...times });
      }
    },
  };
}
