/**
 * datapackage.json, the index of the archive (Frictionless Data Package 1.0), and what it remembers
 * for the next run. It changes only when a file does.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UCUM_CODES } from '../../../contract/parameters.ts';
import { licenseOf } from '../contents.ts';
import type { Field } from '../layouts.ts';
import type { ColumnType } from './columns.ts';

export const INDEX = 'datapackage.json';

/** A file as the index describes it. */
export type Resource = {
  profile: 'tabular-data-resource' | 'data-resource';
  name: string;
  title: string;
  /** Relative to the folder. */
  path: string;
  format: 'parquet' | 'csv';
  mediatype: string;
  encoding?: 'utf-8';
  bytes: number;
  /** `sha256:` and the digits. */
  hash: string;
  /** When the content last changed. */
  modified: string;
  rows?: number;
  /** The first and the last bucket, in UTC. */
  first?: string;
  last?: string;
  /** The path of the description of its columns; of a file in another layout, beside that. */
  schema?: string;
};

/** The state that the folder has seen: a run makes what has changed since. */
export type Seen = {
  /** Which database; another one, or a restored one, begins anew. */
  database: string;
  /** Fingerprint of the columns, which all files have in common. */
  columns: string;
  /** The newest row of the record of changes (R1). */
  change: string;
  /** The refresh whose numbers the files have. */
  refreshed_at: string;
};

export type Index = { seen: Seen; resources: Resource[] };

/** Undefined if there is none that can be read. */
export async function readIndex(folder: string): Promise<Index | undefined> {
  try {
    const { airseries: seen, resources } = JSON.parse(await readFile(join(folder, INDEX), 'utf8'));
    return Array.isArray(resources) && seen !== undefined ? { seen, resources } : undefined;
  } catch {
    return undefined;
  }
}

export function indexText(
  { seen, resources }: Index,
  { timeZone, license }: { timeZone: string; license: string | undefined },
): string {
  const descriptor = {
    profile: 'data-package',
    name: 'air-quality-archive',
    title: 'Air quality and weather: the whole history in hours and days',
    description:
      `Timestamps are UTC and name the start of an hour or day of ${timeZone}. A file changes only when its content does: ` +
      'compare `hash`. The folder airquality-am has the same hours and days, up to the last closed month, as CSV in another layout.',
    time_zone: timeZone,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    resources,
    airseries: seen,
  };
  return `${JSON.stringify(descriptor, null, 1)}\n`;
}

/** A column for its readers. */
type Described = Omit<Field, 'type'> & { type: ColumnType | Field['type']; isRequired?: boolean };

/** The columns of a kind of files, as a Table Schema. `key`: no two rows have the same. */
export function schemaText(columns: readonly Described[], key: readonly string[]): string {
  const schema = {
    fields: columns.map(({ name, type, meaning, unit, isRequired }) => ({
      name,
      type: type === 'instant' ? 'datetime' : type,
      description: meaning,
      ...(unit === undefined ? {} : { unit, ucum: unit === 'm' ? 'm' : UCUM_CODES[unit] }),
      ...(isRequired ? { constraints: { required: true } } : {}),
    })),
    missingValues: [''],
    primaryKey: key,
  };
  return `${JSON.stringify(schema, null, 1)}\n`;
}
