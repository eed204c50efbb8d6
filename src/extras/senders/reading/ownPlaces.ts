/**
 * The places that readings give themselves: a sensor may have moved (S9). The network says whether
 * it did.
 */
import { readNumber } from '../../../ingest/numbers.ts';
import type { OwnPlace } from '../../../ingest/reading/facts.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import { cellAt } from '../rows/cells.ts';
import type { PlaceColumns } from './place.ts';

/** A bound for memory: a receiver without a fix wanders. */
const MOST_PLACES = 20_000;

export function makeOwnPlaces() {
  const all = new Map<string, OwnPlace>();
  return {
    /** To be compared with the network. */
    all: all as ReadonlyMap<string, OwnPlace>,
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
