/** The facts of the network file by which a sensor's values are judged. */
import { arrayLiteral } from '../../database/arrays.ts';
import { type Queryable, query } from '../../database/query.ts';
import type { ReadingInput } from '../reading/reading.ts';
import { instrumentOf, mayBeNoMeasurement } from './instruments.ts';
import { readSensorId, type SensorFacts } from './validate.ts';

/** A row of raw.sensor, as far as it is looked up. */
type SensorRow = {
  id: number;
  kind: string | null;
  rain: string | null;
  /** Null: never. */
  corrected: [since: number | null, until: number | null][] | null;
};

const factsOf = ({ kind, rain, corrected }: SensorRow): SensorFacts => ({
  instrument: instrumentOf(kind),
  countsRain: rain === 'total',
  corrected: (corrected ?? []).map(([since, until]) => [
    since ?? Number.NEGATIVE_INFINITY,
    until ?? Number.POSITIVE_INFINITY,
  ]),
});

const SENSORS = `
  select s.id, s.kind, s.rain, (
    select jsonb_agg(jsonb_build_array(
      case when isfinite(p.since) then extract(epoch from p.since) * 1000000 end,
      case when isfinite(p.until) then extract(epoch from p.until) * 1000000 end))
    from raw.placement p where p.sensor_id = s.id and p.formula <> 'none') as corrected
  from raw.sensor s where s.id = any ($1::text::int[])`;

/**
 * The facts about the sensors of readings, for those readings that are judged by them: hardly any,
 * so that most batches need no look-up. `db` works in the role airseries_ingest.
 */
export async function findSensorFacts(
  db: Queryable,
  readings: readonly ReadingInput[],
): Promise<ReadonlyMap<number, SensorFacts>> {
  const sensors = new Set<number>();
  for (const { sensorId, values, isCorrected = false } of readings) {
    const isJudged = isCorrected || values.rain !== undefined || mayBeNoMeasurement(values);
    const id = isJudged ? readSensorId(sensorId) : undefined;
    if (id !== undefined) sensors.add(id);
  }
  return await loadSensorFacts(db, [...sensors]);
}

/** The facts about the sensors that the network has. `db` as above. */
export async function loadSensorFacts(
  db: Queryable,
  sensors: readonly number[],
): Promise<ReadonlyMap<number, SensorFacts>> {
  if (sensors.length === 0) return new Map();
  const rows = (await query(db, SENSORS, [arrayLiteral(sensors)])) as SensorRow[];
  return new Map(rows.map((row) => [row.id, factsOf(row)]));
}

/** The readings, with the rain of gauges that count up as a total. */
export function withTotals(
  readings: readonly ReadingInput[],
  sensors: ReadonlyMap<number, SensorFacts>,
): readonly ReadingInput[] {
  if (![...sensors.values()].some(({ countsRain }) => countsRain)) return readings;
  return readings.map((reading) => {
    const { rain, ...others } = reading.values;
    const isTotal = sensors.get(readSensorId(reading.sensorId) ?? 0)?.countsRain === true;
    if (!isTotal || rain === undefined || (others.rain_total ?? null) !== null) return reading;
    return { ...reading, values: { ...others, rain_total: rain } };
  });
}
