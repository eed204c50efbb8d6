/** Rule C9 word for word over hours in memory, sharing nothing with the SQL. Slow and obvious on purpose. */

/** An hour of a station or of one of its sensors; `measured` is what the instrument gave. */
export type Hour = {
  station: number;
  sensor?: number;
  at: number;
  pm25: number;
  measured: number;
  pm10: number | null;
};
export type Suspect = { station: number; reason: string; since: number; until: number };
type Place = { id: number; latitude: number; longitude: number; trusted?: boolean };

const HOUR = 3_600_000;

/** The periods that a screening of the hours from `since` to `closed` finds; `until` is infinite for one that is open. */
export function suspectPeriods(
  {
    stationHours,
    sensorHours,
    places,
    recorded,
  }: {
    stationHours: readonly Hour[];
    sensorHours: readonly Hour[];
    places: readonly Place[];
    recorded: readonly Suspect[];
  },
  since: number,
  closed: number,
): Suspect[] {
  const found: Suspect[] = [];
  for (const place of places) {
    if (place.trusted) continue;
    const own = stationHours.filter(({ station, at }) => station === place.id && at < closed);
    const isSuspect: Record<string, (hour: Hour) => boolean> = {
      sensors: ({ at }) => {
        const values = sensorHours
          .filter((h) => h.station === place.id && h.at === at)
          .map(({ measured }) => measured);
        const range = Math.max(...values) - Math.min(...values);
        const mean = values.reduce((a, b) => a + b, 0) / values.length;
        return values.length >= 2 && range > 5 && range > 0.7 * mean;
      },
      flat: (hour) =>
        hour.measured > 0.5 &&
        Array.from({ length: 12 }, (_, n) => hour.at - n * HOUR).every((at) =>
          own.some(
            (h) =>
              h.at === at &&
              Math.abs(h.measured - hour.measured) < 1e-6 &&
              same(h.pm10, hour.pm10) &&
              at >= since - 11 * HOUR,
          ),
        ),
      outlier: ({ at, pm25 }) => {
        const neighbours = stationHours
          .filter((h) => h.at === at && h.station !== place.id)
          .filter(
            (h) => kilometres(place, places.find(({ id }) => id === h.station) as Place) <= 10,
          )
          .filter(
            (h) => !recorded.some((p) => p.station === h.station && p.since <= at && at < p.until),
          )
          .map((h) => h.pm25);
        return neighbours.length >= 3 && pm25 > 50 && pm25 > 5 * median(neighbours);
      },
    };
    for (const [reason, test] of Object.entries(isSuspect)) {
      // what was recorded before counts as it stands there
      const before = recorded.filter(
        (p) =>
          p.station === place.id &&
          p.reason === reason &&
          p.since < since &&
          p.until > since - 24 * HOUR,
      );
      const pieces = before.map((p) => ({
        since: p.since,
        until: Math.min(p.until, since),
        hours: 6,
      }));
      for (const hour of own.filter((h) => h.at >= since && test(h)).sort((a, b) => a.at - b.at)) {
        const last = pieces.at(-1);
        if (last !== undefined && hour.at - last.until <= 24 * HOUR) {
          last.until = hour.at + HOUR;
          last.hours += 1;
        } else pieces.push({ since: hour.at, until: hour.at + HOUR, hours: 1 });
      }
      for (const piece of pieces.filter(({ hours }) => hours >= 6)) {
        const isOpen = closed - piece.until < 24 * HOUR;
        found.push({
          station: place.id,
          reason,
          since: piece.since,
          until: isOpen ? Number.POSITIVE_INFINITY : piece.until,
        });
      }
    }
  }
  return found;
}

const same = (a: number | null, b: number | null) =>
  a === null || b === null ? a === b : Math.abs(a - b) < 1e-6;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (at(half - 1) + at(half)) / 2 : at(Math.floor(half));
}

/** By the law of cosines, on a sphere of the Earth's mean radius. */
function kilometres(a: Place, b: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [p, q] = [radians(a.latitude), radians(b.latitude)];
  const cosine =
    Math.sin(p) * Math.sin(q) +
    Math.cos(p) * Math.cos(q) * Math.cos(radians(a.longitude - b.longitude));
  return 6371.0088 * Math.acos(Math.min(1, cosine));
}
