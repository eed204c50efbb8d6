/** Lists what is in quarantine, with the reasons in words, and deletes what the operator names. */
import type { ParameterName } from '../../contract/parameters.ts';
import type { Sql } from '../../database/client.ts';
import { explainDevice, explainReading, explainValue } from '../explain.ts';
import type { DeviceSensor, ReadingFormats } from '../formats.ts';
import { deviceFromText } from '../reading/devices.ts';
import { VALUE_REASONS } from '../store/validate.ts';

/** Filters of lines; an absent one lets all through. */
export type Filter = {
  reason?: string | undefined;
  source?: string | undefined;
  /** Empty: imported by hand. */
  provider?: string | undefined;
  /** Recorded before this instant. */
  before?: Date | undefined;
};

/** The filter as a condition on raw.quarantine, for use in a query. */
export function matches(sql: Sql, filter: Filter) {
  const { reason = null, source = null, provider = null, before = null } = filter;
  return sql`(${reason}::text is null or reason = ${reason}) and (${source}::text is null or source = ${source})
    and (${provider}::text is null or coalesce(provider_id, '') = ${provider})
    and (${before}::timestamptz is null or recorded_at < ${before})`;
}

type QuarantinedLine = {
  id: number;
  recorded_at: string;
  source: string;
  /** Null: imported by hand. */
  provider: string | null;
  /** Its number in the source. */
  line: number | null;
  kind: 'reading' | 'value';
  reason: string;
  /** Null: a reason that this version does not have. */
  explanation: string | null;
  /** Its first 300 characters. */
  text: string;
};

/** `total` and `by_reason` count everything that matches, `lines` has at most the limit. */
export type Quarantined = {
  total: number;
  by_reason: Record<string, number>;
  lines: QuarantinedLine[];
};

const SHOWN_CHARACTERS = 300;
/** A device's whole body is looked at. */
const EXPLAINED_CHARACTERS = 10_000;

/**
 * The lines that match the filter, newest first, at most `limit` of them. `sql` is a pool of the
 * owner.
 */
export async function listQuarantine(
  sql: Sql,
  filter: Filter,
  limit: number,
  formats: ReadingFormats,
): Promise<Quarantined> {
  const reasons = await countByReason(sql, filter);
  const rows = await sql<Row[]>`
    select id::float8, recorded_at, source, provider_id as provider, line::float8, kind, reason, left(text, ${EXPLAINED_CHARACTERS}) as text,
      (reading ->> 'sensor_id')::int as sensor_id
    from raw.quarantine where ${matches(sql, filter)}
    order by raw.quarantine.id desc limit ${limit}`;
  const sensors = await sql<
    SensorOfDevice[]
  >`select id, kind, device from raw.sensor where device is not null order by id`;
  return {
    total: reasons.reduce((sum, { n }) => sum + n, 0),
    by_reason: Object.fromEntries(reasons.map(({ reason, n }) => [reason, n])),
    lines: rows.map((row) => {
      const { text, sensor_id: _, ...line } = row;
      return {
        ...line,
        explanation: explain(row, sensors, formats) ?? null,
        text: text.slice(0, SHOWN_CHARACTERS),
      };
    }),
  };
}

/** How many lines match the filter for each reason, the most first. `sql` is a pool of the owner. */
export const countByReason = (sql: Sql, filter: Filter) =>
  sql<{ reason: string; n: number }[]>`
    select reason, count(*)::int as n from raw.quarantine where ${matches(sql, filter)} group by 1 order by 2 desc, 1`;

type Row = Omit<QuarantinedLine, 'explanation'> & { sensor_id: number | null };

type SensorOfDevice = DeviceSensor & { device: string };

/** Says what is wrong with a line; undefined for a reason that this version does not have. */
function explain(
  row: Row,
  sensors: readonly SensorOfDevice[],
  formats: ReadingFormats,
): string | undefined {
  const { devicePushes, readLine } = formats;
  const { kind, reason, text, sensor_id } = row;
  const push = reason === 'unknown_sensor' ? devicePushes?.fromText(text) : undefined;
  if (push !== undefined) {
    const own = sensors.filter(({ device }) => device === push.device);
    return push.explain(own);
  }
  if (kind === 'value') {
    const [what = '', parameter] = reason.split(':');
    if (!(what in VALUE_REASONS)) return undefined;
    return explainValue(reason, readLine(text)?.values[parameter as ParameterName], formats);
  }
  const device = deviceFromText(text)?.device;
  if (device !== undefined && reason === 'unknown_sensor') {
    return explainDevice(
      device,
      sensors.filter((sensor) => sensor.device === device).map(({ id }) => id),
    );
  }
  const { sensorId, measuredAt, why, values = {} } = readLine(text) ?? {};
  // where columns were declared, their names say nothing here
  const isUnderstood = measuredAt !== undefined || Object.keys(values).length > 0;
  const given = {
    sensorId: sensor_id ?? sensorId,
    ...(isUnderstood && { measuredAt }),
    ...(why !== undefined && { why }),
  };
  return explainReading(reason, given, formats);
}

/**
 * Deletes what matches the filter, and returns how many lines that were. `sql` is a pool of the
 * owner.
 */
export async function dropQuarantined(sql: Sql, filter: Filter): Promise<number> {
  const deleted = await sql`delete from raw.quarantine where ${matches(sql, filter)}`;
  // frees what they took up
  await sql`select logic.recount_quarantine(provider_id) from raw.quarantine_load`;
  return deleted.count;
}
