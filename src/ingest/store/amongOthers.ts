/**
 * Compares readings with the hours of their own stations and of others nearby, before any is stored:
 * a winter's day in °F, or a breeze in km/h, lies within the bounds of our units (S8).
 */
import { arrayLiteral } from '../../database/arrays.ts';
import { type Queryable, query } from '../../database/query.ts';
import type { Explaining } from '../formats.ts';
import { medianOf, numberOf } from '../numbers.ts';
import { type Doubt, ENOUGH } from '../reading/doubt.ts';
import type { SourceFacts } from '../reading/facts.ts';
import { readInstant } from '../reading/instants.ts';
import type { ReadingInput } from '../reading/reading.ts';
import type { Vocabulary } from '../reading/vocabulary.ts';
import { readSensorId } from './validate.ts';

const USUAL = `select * from logic.usual_values($1::text::int[], $2::text::timestamptz, $3::text::timestamptz)`;

type Usual = {
  is_own: boolean;
  temperature_hours: number;
  temperature: number | null;
  wind_hours: number;
  wind_speed: number | null;
};

/**
 * Readings of the first five sensors and of 30 days are compared, with hours from a week before to a
 * week after: on a year of 1,000 stations a push of one waits 3 ms for them, and one of all 21 ms. With 20 stations and 90 days that took 1 s.
 */
const MOST_SENSORS = 5;
const COMPARED_MS = 30 * 86_400_000;
const AROUND_MS = 7 * 86_400_000;
/** A day. */
const LEAST_HOURS = 24;

/** A parameter whose values in another unit lie within the bounds of ours. */
type Compared = {
  name: 'temperature' | 'wind_speed';
  hours: 'temperature_hours' | 'wind_hours';
  unit: string;
  option: string;
  /** True where a median is so far above the usual one that it is hardly in our unit. */
  isFar(median: number, usual: number): boolean;
};

const COMPARED: readonly Compared[] = [
  {
    name: 'temperature',
    hours: 'temperature_hours',
    unit: '°F',
    option: 'f',
    // °F are at least 20 more than °C from -15 °C on
    isFar: (median, usual) => median - usual >= 20,
  },
  {
    name: 'wind_speed',
    hours: 'wind_hours',
    unit: 'km/h',
    option: 'km/h',
    // km/h are 3.6 times as many as m/s
    isFar: (median, usual) => median >= 2.5 * Math.max(usual, 0.5),
  },
];

/**
 * The doubts about readings whose sensors are known. `db` works in the role airseries_ingest.
 * Rejects with Unavailable where a pool does.
 */
export async function doubtsAmongOthers(
  db: Queryable,
  readings: readonly ReadingInput[],
  { undeclared }: Pick<SourceFacts, 'undeclared'>,
  say: Vocabulary,
  { declareUnit }: Pick<Explaining, 'declareUnit'>,
): Promise<Doubt[]> {
  if (!COMPARED.some(({ name }) => undeclared.has(name))) return [];
  const timed = readings.flatMap(({ sensorId, measuredAt, values }) => {
    const id = readSensorId(sensorId);
    const at = typeof measuredAt === 'string' ? readInstant(measuredAt) : undefined;
    return id === undefined || at === undefined
      ? []
      : [{ id, at: at.microseconds / 1_000, values }];
  });
  if (timed.length < ENOUGH) return [];
  const first = timed.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const sensors = new Set([...new Set(timed.map(({ id }) => id))].slice(0, MOST_SENSORS));
  const compared = timed.filter(({ id, at }) => sensors.has(id) && at < first + COMPARED_MS);
  const last = compared.reduce((most, { at }) => Math.max(most, at), first);
  const medians = COMPARED.flatMap((one) => {
    const all = compared.flatMap(({ values }) => numberOf(values[one.name]) ?? []);
    const median = all.length < ENOUGH ? undefined : medianOf(all);
    return median === undefined || !undeclared.has(one.name) ? [] : [{ ...one, median }];
  });
  if (medians.length === 0) return [];
  const usual = (await query(db, USUAL, [
    arrayLiteral([...sensors]),
    new Date(first - AROUND_MS).toISOString(),
    new Date(last + AROUND_MS).toISOString(),
  ])) as Usual[];
  return usual.flatMap((stations) =>
    medians.flatMap(({ name, hours, unit, option, isFar, median }): Doubt[] => {
      const value = stations[name];
      if (value === null || stations[hours] < LEAST_HOURS || !isFar(median, value)) return [];
      const whose = stations.is_own ? 'the hours of its own station' : 'the stations nearby';
      return [
        {
          what: `column ${undeclared.get(name)} looks like ${unit}: its median is ${median}, and ${whose} have ${Math.round(value * 10) / 10} around that time`,
          remedy: declareUnit(name, median, [option], say),
        },
      ];
    }),
  );
}
