/**
 * Rule C9 word for word over hours in memory, sharing nothing with the SQL. Slow and obvious on
 * purpose.
 */

/**
 * An hour of a station or of one of its sensors, whose kind may be unknown; `measured` is what the
 * instrument gave.
 */
export type Hour = {
  station: number;
  sensor?: number;
  kind?: string | null;
  at: number;
  pm25: number | null;
  measured: number | null;
  pm10: number | null;
};
export type Suspect = {
  station: number;
  reason: string;
  since: number;
  until: number;
  /** The suspect hours of an outlier that its city does not leave out yet; null: it does. */
  hours: number[] | null;
};
export type Place = { id: number; latitude: number; longitude: number; trusted?: boolean };

const HOUR = 3_600_000;

type Facts = {
  stationHours: readonly Hour[];
  sensorHours: readonly Hour[];
  places: readonly Place[];
  /** The operator's, of kind pm. */
  flagged?: readonly Pick<Suspect, 'station' | 'since' | 'until'>[];
};

/**
 * The periods that a screening of the hours from `since` to `closed`, and from the beginning of open
 * periods, finds or continues; `until` is infinite for one that is open.
 * `recorded` are the periods of earlier screenings; a network file may bring them before their
 * readings, and until then they stay.
 */
export function suspectPeriods(
  { recorded, ...facts }: Facts & { recorded: readonly Suspect[] },
  since: number,
  closed: number,
): Suspect[] {
  const isJudgedAgain = (period: Suspect) =>
    period.until > since - 24 * HOUR &&
    facts.stationHours.some((h) => h.station === period.station && h.at >= period.since);
  const periodsBy = (reason: string, testOf: (place: Place) => (at: number) => boolean) =>
    facts.places
      .filter(({ trusted }) => !trusted)
      .flatMap((place) => {
        const before = recorded.filter(
          (p) => p.station === place.id && p.reason === reason && isJudgedAgain(p),
        );
        const ended = before.filter((p) => p.until !== Number.POSITIVE_INFINITY);
        const open = before.filter((p) => !ended.includes(p));
        const from = Math.min(since, ...open.map((p) => p.since));
        const hours = facts.stationHours
          .filter(({ station, at }) => station === place.id && at >= from && at < closed)
          .map(({ at }) => at)
          .filter(testOf(place));
        // a period that has ended counts as it was recorded up to the hours that are judged again
        const known = ended
          .map((p) => ({
            since: p.since,
            until: Math.min(p.until, since),
            hours: p.hours?.filter((at) => at < since) ?? null,
          }))
          .filter((p) => p.since < p.until);
        return periodsOf(hours, known, closed).map((period) => {
          const isLeftOut = reason !== 'outlier' || (period.hours?.length ?? 24) >= 24;
          return { station: place.id, reason, ...period, hours: isLeftOut ? null : period.hours };
        });
      });

  const alone = [
    ...periodsBy('sensors', (place) => {
      const own = facts.sensorHours.filter(({ station }) => station === place.id);
      return (at) => sensorsDiffer(own, at);
    }),
    ...periodsBy('flat', (place) => {
      const own = facts.stationHours.filter((h) => h.station === place.id && h.at < closed);
      const hourAt = new Map(own.map((h) => [h.at, h]));
      return (at) => isFlat(hourAt, at);
    }),
  ];
  const notNeighbours = [
    ...alone,
    ...recorded.filter((p) => p.reason !== 'outlier' && !isJudgedAgain(p)),
    ...(facts.flagged ?? []),
  ];
  return [
    ...alone,
    ...periodsBy('outlier', (place) => (at) => isOutlier(facts, notNeighbours, place, at)),
  ];
}

/** The periods that hours form together with known periods, where there are enough hours. */
function periodsOf(
  hours: readonly number[],
  known: readonly Pick<Suspect, 'since' | 'until' | 'hours'>[],
  closed: number,
): Pick<Suspect, 'since' | 'until' | 'hours'>[] {
  const pieces = [
    ...known.map((period) => ({ ...period, isKnown: true })),
    ...hours.map((at) => ({
      since: at,
      until: at + HOUR,
      hours: [at] as number[] | null,
      isKnown: false,
    })),
  ];
  const groups: typeof pieces = [];
  for (const piece of pieces.sort((a, b) => a.since - b.since)) {
    const last = groups.at(-1);
    if (last !== undefined && piece.since - last.until <= 24 * HOUR) {
      last.until = piece.until;
      last.hours = last.hours && piece.hours && [...last.hours, ...piece.hours];
      last.isKnown ||= piece.isKnown;
    } else groups.push({ ...piece });
  }
  return groups
    .filter(({ hours: found, isKnown }) => isKnown || (found?.length ?? 0) >= 6)
    .map((group) => ({
      since: group.since,
      hours: group.hours,
      until: closed - group.until < 24 * HOUR ? Number.POSITIVE_INFINITY : group.until,
    }));
}

/** True if sensors of one kind differ. A station's sensors are those with a value in this hour. */
function sensorsDiffer(sensorHours: readonly Hour[], at: number): boolean {
  const own = sensorHours.flatMap(({ sensor, kind, at: hour, measured }) =>
    measured !== null && hour > at - 24 * HOUR && hour <= at
      ? [{ sensor, kind, at: hour, measured }]
      : [],
  );
  const present = own.filter((h) => h.at === at);
  const dayMeans = (sensor: number | undefined) => {
    const day = own.filter((h) => h.sensor === sensor);
    return day.length >= 18 ? [mean(day.map(({ measured }) => measured))] : [];
  };
  const differ = (values: readonly number[], least: number, part: number) => {
    const range = Math.max(...values) - Math.min(...values);
    return values.length >= 2 && range > least && range > part * mean(values);
  };
  // sensors of unknown kind are of one kind
  return [...new Set(present.map(({ kind }) => kind ?? null))].some((kind) => {
    const alike = present.filter((h) => (h.kind ?? null) === kind);
    return (
      differ(
        alike.map(({ measured }) => measured),
        5,
        0.7,
      ) ||
      differ(
        alike.flatMap(({ sensor }) => dayMeans(sensor)),
        3,
        0.4,
      )
    );
  });
}

/**
 * True if the hour is in a row that is too long: of hours that are the same in PM2.5 and PM10, or
 * in PM2.5.
 */
function isFlat(hourAt: ReadonlyMap<number, Hour>, at: number): boolean {
  const hour = hourAt.get(at);
  const value = hour?.measured ?? null;
  if (hour === undefined || value === null) return false;
  const rowOf = (isSame: (h: Hour) => boolean) => {
    const reach = (step: number) => {
      let n = 0;
      for (;;) {
        const next = hourAt.get(at + (n + 1) * step);
        if (next === undefined || !isSame(next)) return n;
        n += 1;
      }
    };
    return reach(-HOUR) + 1 + reach(HOUR);
  };
  const row = rowOf((h) => same(h.measured, value));
  if (value > 0.5) {
    return row >= 24 || rowOf((h) => same(h.measured, value) && same(h.pm10, hour.pm10)) >= 12;
  }
  return value < 0 ? row >= 24 : row >= 48;
}

function isOutlier(
  { stationHours, places }: Facts,
  notNeighbours: readonly Pick<Suspect, 'station' | 'since' | 'until'>[],
  place: Place,
  at: number,
): boolean {
  const own = stationHours.find((h) => h.station === place.id && h.at === at)?.pm25 ?? 0;
  const neighbours = stationHours
    .filter((h) => h.at === at && h.station !== place.id)
    .filter((h) => kilometres(place, places.find(({ id }) => id === h.station) as Place) <= 10)
    .filter(
      (h) => !notNeighbours.some((p) => p.station === h.station && p.since <= at && at < p.until),
    )
    .flatMap((h) => h.pm25 ?? []);
  return (
    neighbours.length >= 3 &&
    own > 30 &&
    own > 3 * median(neighbours) &&
    neighbours.filter((pm25) => pm25 >= own / 2).length <= 1
  );
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

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
