/**
 * Compares readings with the hours of their own stations and of others nearby, before any is stored:
 * a winter's day in °F, or a breeze in km/h, lies within the bounds of our units (S8).
 */
import type { ParameterName } from '../../contract/parameters.ts';
import { arrayLiteral } from '../../database/arrays.ts';
import { type Queryable, query } from '../../database/query.ts';
import { readNumber } from '../numbers.ts';
import { type Doubt, ENOUGH } from '../reading/doubt.ts';
import { asTheyAre, medianOf } from '../reading/implausibleValues.ts';
import { readInstant } from '../reading/instants.ts';
import type { SourceNotes } from '../reading/notes.ts';
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

/** °F are at least 20 more than °C from -15 °C on; km/h are 3.6 times as many as m/s. */
const LEAST_DIFFERENCE = 20;
const LEAST_RATIO = 2.5;

/**
 * The doubts about readings whose sensors are known. `db` works in the role airseries_ingest.
 * Rejects with Unavailable where a pool does.
 */
export async function doubtsAmongOthers(
  db: Queryable,
  readings: readonly ReadingInput[],
  { undeclared }: Pick<SourceNotes, 'undeclared'>,
  say: Vocabulary,
): Promise<Doubt[]> {
  if (!undeclared.has('temperature') && !undeclared.has('wind_speed')) return [];
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
  const median = (name: ParameterName): number | undefined => {
    const all = compared.flatMap(({ values }) => {
      const value = undeclared.has(name) ? readNumber(values[name]) : undefined;
      return typeof value === 'number' && Number.isFinite(value) ? value : [];
    });
    return all.length < ENOUGH ? undefined : medianOf(all);
  };
  const [temperature, wind] = [median('temperature'), median('wind_speed')];
  if (temperature === undefined && wind === undefined) return [];
  const usual = (await query(db, USUAL, [
    arrayLiteral([...sensors]),
    new Date(first - AROUND_MS).toISOString(),
    new Date(last + AROUND_MS).toISOString(),
  ])) as Usual[];
  const doubts = usual.flatMap(({ is_own: isOwn, ...hours }): Doubt[] => {
    const whose = isOwn ? 'the hours of its own station' : 'the stations nearby';
    const than = (value: number) => `${whose} have ${Math.round(value * 10) / 10} around that time`;
    const doubt = (
      name: ParameterName,
      unit: string,
      option: string,
      one: number,
      than: string,
    ) => ({
      what: `column ${undeclared.get(name)} looks like ${unit}: its median is ${one}, and ${than}`,
      remedy: `Add ${say.option('unit', `${name}=${option}`)} if it is, or ${asTheyAre(name, say)} if it is right as it is.`,
    });
    const found: Doubt[] = [];
    const { temperature: warmth, wind_speed: breeze } = hours;
    if (
      temperature !== undefined &&
      warmth !== null &&
      hours.temperature_hours >= LEAST_HOURS &&
      temperature - warmth >= LEAST_DIFFERENCE
    )
      found.push(doubt('temperature', '°F', 'f', temperature, than(warmth)));
    if (
      wind !== undefined &&
      breeze !== null &&
      hours.wind_hours >= LEAST_HOURS &&
      wind >= LEAST_RATIO * Math.max(breeze, 0.5)
    )
      found.push(doubt('wind_speed', 'km/h', 'km/h', wind, than(breeze)));
    return found;
  });
  return doubts;
}
