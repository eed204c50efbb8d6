/**
 * datapackage.json, the index of the archive (Frictionless Data Package 1.0), and what it remembers
 * for the next run. It changes when a file does, and while files are missing or behind.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UCUM_CODES } from '../../contract/parameters.ts';
import type { ColumnType } from './columns.ts';
import { licenseOf } from './csv/contents.ts';
import type { Field } from './csv/layouts.ts';

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
  /** For the next run; only of files of buckets. */
  airseries?: Seen;
};

/** The state of the database that a file shows: it is made again once something has changed since. */
export type Seen = {
  /** The newest row of the record of changes (R1). */
  change: string;
  /** The last refresh. */
  refreshed_at: string;
  /** Fingerprint of the stations that were listed. */
  stations: string;
  /** The number of values behind the buckets. */
  values: number;
};

/** `resources` are in order. */
export type Index = {
  resources: Resource[];
  /** Paths of the files that lack something which is stored; each goes as its file is made. */
  missing: string[];
  /** Paths of texts and descriptions beside the data. */
  documents: string[];
  airseries: {
    /** The database's mark; another database, or a restored one, begins again. */
    database: string;
    /** Fingerprint of the columns, which all files have in common. */
    columns: string;
    /** The first month that the CSV files lack, or may have otherwise: the running one, or an earlier one. */
    open_data_from: string;
  };
};

/** Undefined if there is none that can be read. */
export async function readIndex(folder: string): Promise<Index | undefined> {
  try {
    const {
      resources,
      missing = [],
      documents = [],
      airseries,
    } = JSON.parse(await readFile(join(folder, INDEX), 'utf8'));
    const isOurs = Array.isArray(resources) && airseries?.open_data_from !== undefined;
    return isOurs ? { resources, missing, documents, airseries } : undefined;
  } catch {
    return undefined;
  }
}

export function indexText(
  { resources, missing, documents, airseries }: Index,
  { timeZone, license }: { timeZone: string; license: string | undefined },
): string {
  const hours = resources.filter(({ path }) => path.startsWith('hours/'));
  const descriptor = {
    profile: 'data-package',
    name: 'air-quality-archive',
    title: 'Air quality and weather: the whole history in hours and days',
    description:
      `Timestamps are UTC and name the start of an hour or day of ${timeZone}. A file changes only when its content does: ` +
      'compare `hash`. `up_to` is the last hour that the files have; `missing` are files that are not made yet, or lack ' +
      'something that came later. Changes that showed before `changes_since` are in all of them; /en/explore/v1/changes.json ' +
      'lists the later ones. The folder airquality-am has the same hours and days as CSV, in another layout.',
    time_zone: timeZone,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    up_to:
      hours
        .map(({ last = '' }) => last)
        .sort()
        .at(-1) ?? null,
    changes_since: changesSince(resources),
    missing,
    documents,
    resources,
    airseries,
  };
  return `${JSON.stringify(descriptor, null, 1)}\n`;
}

/** The oldest refresh that a file shows, in whole seconds as the documents of changes have them. */
function changesSince(resources: readonly Resource[]): string | null {
  const [oldest] = resources.flatMap(({ airseries }) => airseries?.refreshed_at ?? []).sort();
  return oldest === undefined ? null : `${oldest.slice(0, 19)}Z`;
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
