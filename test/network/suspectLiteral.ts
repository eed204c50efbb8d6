/**
 * Rule C9 word for word over hours in memory, sharing nothing with the SQL. Slow and obvious on
 * purpose.
 */

/** An hour of a station or of one of its sensors; `measured` is what the instrument gave. */
export type Hour = {
  station: number;
  sensor?: number;
  at: number;
  pm25: number | null;
  measured: number | null;
  pm10: number | null;
};
export type Suspect = { station: number; reason: string; since: number; until: number };
/** `judgedTo`: the hour to which an open period was judged, as the database has noted it. */
export type Recorded = Suspect & { judgedTo?: number };
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
 * The periods that a screening of the hours from `since` to `closed`, and of those of open periods
 * that were not judged yet, finds or continues; `until` is infinite for one that is open.
 * `recorded` are those of earlier screenings; a network file may bring them before their readings,
 * and until then they stay.
 */
export function suspectPeriods(
  { recorded, ...facts }: Facts & { recorded: readonly Recorded[] },
  since: number,
  closed: number,
): Suspect[] {
  const isJudgedAgain = (period: Suspect) =>
    period.until > since - 24 * HOUR &&
    facts.stationHours.some((h) => h.station === period.station && h.at >= period.since);
  const periodsBy = (reason: string, test: (place: Place, at: number) => boolean) =>
    facts.places
      .filter(({ trusted }) => !trusted)
      .flatMap((place) => {
        const before = recorded
          .filter((p) => p.station === place.id && p.reason === reason && isJudgedAgain(p))
          .map((p) => ({ ...p, judgedFrom: judgedFrom(p, since) }));
        const from = Math.min(since, ...before.map((p) => p.judgedFrom));
        const hours = facts.stationHours
          .filter(({ station, at }) => station === place.id && at >= from && at < closed)
          .map(({ at }) => at)
          .filter((at) => test(place, at));
        // a period counts as it was recorded up to the hours that are judged again
        const known = before
          .map((p) => ({ since: p.since, until: Math.min(p.until, p.judgedFrom) }))
          .filter((p) => p.since < p.until);
        return periodsOf(hours, known, closed).map((period) => {
          return { station: place.id, reason, ...period };
        });
      });

  const alone = [
    ...periodsBy('sensors', (place, at) => sensorsDiffer(facts, place, at)),
    ...periodsBy('flat', (place, at) => isFlat(facts, place, at, closed)),
  ];
  const notNeighbours = [
    ...alone,
    ...recorded.filter((p) => p.reason !== 'outlier' && !isJudgedAgain(p)),
    ...(facts.flagged ?? []),
  ];
  return [
    ...alone,
    ...periodsBy('outlier', (place, at) => isOutlier(facts, notNeighbours, place, at)),
  ];
}

/** An open period from its beginning, but not what was judged before. */
function judgedFrom(period: Recorded, since: number): number {
  if (period.until !== Number.POSITIVE_INFINITY) return since;
  const { judgedTo = Number.NEGATIVE_INFINITY } = period;
  return Math.max(period.since, Math.min(since, judgedTo - 24 * HOUR));
}

/** Of hours and of periods that are known, which count as enough of them. */
function periodsOf(
  hours: readonly number[],
  known: readonly { since: number; until: number }[],
  closed: number,
): { since: number; until: number }[] {
  const pieces = [
    ...known.map(({ since, until }) => ({ since, until, hours: 6 })),
    ...hours.map((at) => ({ since: at, until: at + HOUR, hours: 1 })),
  ];
  const groups: typeof pieces = [];
  for (const piece of pieces.sort((a, b) => a.since - b.since)) {
    const last = groups.at(-1);
    if (last !== undefined && piece.since - last.until <= 24 * HOUR) {
      last.until = piece.until;
      last.hours += piece.hours;
    } else groups.push({ ...piece });
  }
  return groups
    .filter((group) => group.hours >= 6)
    .map((group) => ({
      since: group.since,
      until: closed - group.until < 24 * HOUR ? Number.POSITIVE_INFINITY : group.until,
    }));
}

/** The sensors are those with a value in this hour. */
function sensorsDiffer({ sensorHours }: Facts, place: Place, at: number): boolean {
  const own = sensorHours.flatMap(({ station, sensor, at: hour, measured }) =>
    station === place.id && measured !== null ? [{ sensor, at: hour, measured }] : [],
  );
  const present = own.filter((h) => h.at === at);
  const days = present
    .map(({ sensor }) =>
      own.filter((h) => h.sensor === sensor && h.at > at - 24 * HOUR && h.at <= at),
    )
    .filter((hours) => hours.length >= 18)
    .map((hours) => mean(hours.map(({ measured }) => measured)));
  const differ = (values: readonly number[], least: number, part: number) => {
    const range = Math.max(...values) - Math.min(...values);
    return values.length >= 2 && range > least && range > part * mean(values);
  };
  return (
    differ(
      present.map(({ measured }) => measured),
      5,
      0.7,
    ) || differ(days, 3, 0.4)
  );
}

/**
 * True if the hour is in a row of 12 hours that are the same in PM2.5 and PM10, or of 24 that are
 * in PM2.5.
 */
function isFlat({ stationHours }: Facts, place: Place, at: number, closed: number): boolean {
  const hourAt = new Map(
    stationHours.filter((h) => h.station === place.id && h.at < closed).map((h) => [h.at, h]),
  );
  const hour = hourAt.get(at);
  if (hour === undefined || (hour.measured ?? 0) <= 0.5) return false;
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
  const isSamePm25 = (h: Hour) => same(h.measured, hour.measured);
  return rowOf((h) => isSamePm25(h) && same(h.pm10, hour.pm10)) >= 12 || rowOf(isSamePm25) >= 24;
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
  return neighbours.length >= 3 && own > 30 && own > 3 * median(neighbours);
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
