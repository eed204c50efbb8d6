/**
 * History by the formula of today (S5): a changed formula applies from its change on, and this redoes what was measured before, on
 * purpose. The instrument's own values are kept beside the corrected ones, and a final value that a provider gave beside its raw one is
 * left as it is, so nothing is lost by it.
 */
import type { Sql } from '../database/connect.ts';
import type { Log } from '../log.ts';
import { makeProgress } from '../progress.ts';
import { InputError } from './inputError.ts';

type Options = { from: Date; sensor?: number | undefined; now: Date; log: Log; terminal: boolean };

/** One transaction is a month of one sensor: writers hardly wait. */
const PIECE_DAYS = 30;

type Piece = { sensor: number; since: string; until: string };

/** `sql` is a pool of the owner. Returns how many readings were looked at by sensor and how many changed; aggregates follow at the next refresh. */
export async function recorrect(
  sql: Sql,
  { from, sensor, now, log, terminal }: Options,
): Promise<{ sensors: number; readings_changed: number }> {
  if (from >= now) throw new InputError('--from', 'it is not in the past', 'Give the time of measuring to begin with.');
  const sensors = await setFormula(sql, from, sensor);
  if (sensor !== undefined && sensors.length === 0) {
    throw new InputError(
      `sensor ${sensor}`,
      'no sensor of the network has this number',
      'See raw.sensor for those there are.',
    );
  }
  const progress = makeProgress('correcting', log, terminal);
  const pieces = await piecesOf(sql, sensors, from);
  let changed = 0;
  for (const [index, { sensor: of, since, until }] of pieces.entries()) {
    const [row] = await sql<{ n: string }[]>`
      select raw.recorrect(${of}, ${since}::text::timestamptz, ${until}::text::timestamptz) as n`;
    changed += Number(row?.n ?? 0);
    progress.show(changed, (index + 1) / pieces.length);
  }
  progress.hide();
  return { sensors: sensors.length, readings_changed: changed };
}

/** Puts the formula that each sensor has now in force from the given time on: of the one that is named, or of all that ever had one. */
async function setFormula(sql: Sql, from: Date, sensor: number | undefined): Promise<number[]> {
  return await sql.begin(async (transaction) => {
    // nobody writes a reading by a formula that is just being changed, see raw.accept_readings
    await transaction`select pg_advisory_xact_lock(hashtext('raw.network'))`;
    const rows = await transaction<{ sensor_id: number }[]>`
      select distinct sensor_id from raw.correction
      where case when ${sensor ?? null}::int is null then formula <> 'none' else sensor_id = ${sensor ?? null} end order by 1`;
    const sensors = rows.map((row) => row.sensor_id);
    if (sensors.length === 0) return [];
    await transaction`delete from raw.correction where sensor_id in ${transaction(sensors)} and since >= ${from}`;
    await transaction`
      insert into raw.correction (sensor_id, since, formula)
      select id, ${from}, correction from raw.sensor where id in ${transaction(sensors)}`;
    return sensors;
  });
}

async function piecesOf(sql: Sql, sensors: readonly number[], from: Date): Promise<Piece[]> {
  if (sensors.length === 0) return [];
  return await sql<Piece[]>`
    select s.id as sensor, piece::text as since, (piece + ${PIECE_DAYS} * interval '1 day')::text as until
    from raw.sensor s
    cross join lateral (select min(measured_at) as first, max(measured_at) as last from raw.readings r where r.sensor_id = s.id and r.measured_at >= ${from}) extent
    cross join lateral generate_series(extent.first, extent.last, ${PIECE_DAYS} * interval '1 day') piece
    where s.id in ${sql([...sensors])}
    order by 1, piece`;
}
