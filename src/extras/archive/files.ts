/** The files of the archive: what there is of each kind, and the query of its rows. */
import { createHash } from 'node:crypto';
import { type ArchiveColumn, type BucketUnit, columnsOf, type Subject } from './columns.ts';
import { LAYOUTS } from './csv/layouts.ts';

/** A kind of files: one for each month of hours, or for each year of days. */
export type Kind = {
  /** The folder, and the name of its schema. */
  name: string;
  title: string;
  subject: Subject;
  unit: BucketUnit;
  columns: readonly ArchiveColumn[];
};

const kind = (name: string, title: string, subject: Subject, unit: BucketUnit): Kind => ({
  name,
  title,
  subject,
  unit,
  columns: columnsOf(subject, unit),
});

/** The kinds of files, in the order of the index. */
export const KINDS: readonly Kind[] = [
  kind('hours', 'Hours of stations', 'station', 'hour'),
  kind('days', 'Days of stations', 'station', 'day'),
  kind('regions-hours', 'Hours of cities and districts', 'region', 'hour'),
  kind('regions-days', 'Days of cities and districts', 'region', 'day'),
];

/** A month or year of a kind. */
export type Period = { unit: BucketUnit; name: string; since: string; until: string };

export const pathOf = ({ name }: Kind, period: string): string => `${name}/${period}.parquet`;

/**
 * The rows of a file, by station or region and time. `stations`: those that are listed. COPY takes
 * no parameters; the instants are the server's.
 */
export function selectRows(
  { subject, unit, columns }: Kind,
  { since, until }: Period,
  stations: readonly number[],
): string {
  const level = `${subject}_${unit === 'hour' ? 'hourly' : 'daily'}`;
  const [from, to] = [`'${since}'::timestamptz`, `'${until}'::timestamptz`];
  const id = columns[0]?.name;
  const order = subject === 'region' ? `b.${id} collate "C"` : `b.${id}`;
  return `
    select ${columns.map(({ sql }) => sql).join(', ')}
    from api.${level} b
    ${unit === 'day' ? `join rollup.${level} d on d.${id} = b.${id} and d.bucket = b.timestamp and d.bucket >= ${from} and d.bucket < ${to}` : ''}
    ${subject === 'station' ? `left join logic.flagged_bucket('${unit}', ${from}, ${to}) f on f.station_id = b.station_id and f.bucket = b.timestamp` : ''}
    where b.timestamp >= ${from} and b.timestamp < ${to}
      ${subject === 'station' ? `and b.station_id = any('{${stations.join()}}'::int[])` : ''}
    order by ${order}, b.timestamp`;
}

/** The metadata of a Parquet file, besides its columns. */
export function metadataOf(
  { title, unit, columns }: Kind,
  timeZone: string,
): Record<string, string> {
  const units = columns.flatMap(({ name, unit: ofValue }) =>
    ofValue === undefined ? [] : [[name, ofValue] as const],
  );
  return {
    title,
    timestamp: `UTC; a stamp names the start of its ${unit}, local to time_zone`,
    time_zone: timeZone,
    units: JSON.stringify(Object.fromEntries(units)),
  };
}

/** Changes when files of the same buckets would get other bytes: all of them are made again then. */
export const fingerprintOf = (timeZone: string): string =>
  createHash('sha256')
    .update(JSON.stringify([FORMAT, LAYOUTS, KINDS, KINDS.map((one) => metadataOf(one, timeZone))]))
    .digest('hex')
    .slice(0, 16);

/** Raise it with a change that the columns don't show, such as the size of row groups. */
const FORMAT = 1;
