/**
 * Compares the places that readings give themselves with the stations of their sensors: one that is
 * more than 1 km away says that the sensor has moved, and its air is not the station's (S9).
 */
import { arrayLiteral } from '../../database/arrays.ts';
import { type Queryable, query } from '../../database/query.ts';
import type { Doubt } from '../reading/doubt.ts';
import type { Doubts, OwnPlace } from '../reading/facts.ts';
import { readInstant } from '../reading/instants.ts';
import type { ReadingInput } from '../reading/reading.ts';
import type { Vocabulary } from '../reading/vocabulary.ts';
import type { Scope } from './accept.ts';
import { assignSensors } from './deviceSensors.ts';
import { readSensorId } from './validate.ts';

const APART = `
  select (given.ordinal - 1)::int as index, p.station_id as station, apart.km
  from unnest($1::text::int[], $2::text::timestamptz[], $3::text::float8[], $4::text::float8[])
    with ordinality as given(sensor_id, at, latitude, longitude, ordinal)
  join raw.sensor_station p on p.sensor_id = given.sensor_id and p.since <= given.at and given.at < p.until
  join raw.station s on s.id = p.station_id
  cross join lateral (
    select logic.distance_km(s.latitude, s.longitude, given.latitude, given.longitude) as km) apart
  where apart.km > 1
  order by given.ordinal`;

/** Sensors that have moved, and the doubts about them. */
type Moved = { sensors: ReadonlySet<number>; doubts: Doubt[] };

const NOT_MOVED: Moved = { sensors: new Set(), doubts: [] };

/** A message names as many. */
const MOST_NAMED = 3;

/**
 * Looks at the first and the last time at which a source has each place. `db` works in the role
 * airseries_ingest. Rejects with Unavailable where a pool does.
 */
export async function findMoved(
  db: Queryable,
  { places }: Pick<Doubts, 'places'>,
  { scope, now }: { scope?: Scope | undefined; now: Date },
  say: Vocabulary,
): Promise<Moved> {
  if (places.size === 0) return NOT_MOVED;
  const ends = [...places.values()].flatMap((place) =>
    [...new Set([place.first, place.last])].map((measuredAt) => ({ place, measuredAt })),
  );
  const asReadings = ends.map(({ place: { sensorId, device }, measuredAt }): ReadingInput => {
    const reading = { sensorId, measuredAt, values: {}, text: '' };
    return device === undefined ? reading : { ...reading, device };
  });
  const assigned = await assignSensors(db, asReadings, scope, now);
  const known = assigned.flatMap(({ sensorId, measuredAt }, index) => {
    const [id, at] = [readSensorId(sensorId), readInstant(String(measuredAt))];
    const { place } = ends[index] as (typeof ends)[number];
    return id === undefined || at === undefined ? [] : [{ id, at: at.microseconds / 1_000, place }];
  });
  if (known.length === 0) return NOT_MOVED;
  const rows = (await query(db, APART, [
    arrayLiteral(known.map(({ id }) => id)),
    arrayLiteral(known.map(({ at }) => new Date(at).toISOString())),
    arrayLiteral(known.map(({ place }) => place.latitude)),
    arrayLiteral(known.map(({ place }) => place.longitude)),
  ])) as { index: number; station: number; km: number }[];
  const bySensor = new Map<number, { at: number; place: OwnPlace; station: number; km: number }>();
  for (const { index, ...apart } of rows) {
    const one = known[index] as (typeof known)[number];
    if (!bySensor.has(one.id)) bySensor.set(one.id, { ...one, ...apart });
  }
  const [first] = bySensor.values();
  if (first === undefined) return NOT_MOVED;
  const named = [...bySensor]
    .slice(0, MOST_NAMED)
    .map(
      ([id, { at, place, station, km }]) =>
        `sensor ${id} at ${new Date(at).toISOString()} to ${place.latitude}, ${place.longitude}, ${Math.round(km * 10) / 10} km from its station ${station}`,
    );
  const more = bySensor.size > named.length ? ` and ${bySensor.size - named.length} more` : '';
  const { name } = first.place;
  return {
    sensors: new Set(bySensor.keys()),
    doubts: [
      {
        what: `its own place (${name}) puts ${named.join('; ')}${more}`,
        remedy: `If the sensor moved, write the station where it is now into the network file, with the time from which it stands there; if the coordinates there are wrong, correct them. ${say.option('only', `${name}=VALUE`)} takes the rows of one place, ${say.option('only', `${name}=*`)} says that it does not matter.`,
      },
    ],
  };
}
