/**
 * Makes the archive (R2): the files that are missing, those whose buckets R1's record says have
 * changed, and the index, which is written last. All of it comes from one snapshot. A file is
 * replaced only if its content differs, so a run that finds nothing new changes no byte, and one
 * that is killed leaves old and new files, all whole; the next run does the rest.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { whyUnusable } from '../../../base/folder.ts';
import { InputError } from '../../../base/inputError.ts';
import type { Log } from '../../../base/log.ts';
import { makeProgress } from '../../../base/progress.ts';
import type { DatabaseAddress } from '../../../database/address.ts';
import { asOwner, type Sql } from '../../../database/client.ts';
import { errorCode } from '../../../database/errors.ts';
import { copyCsv, copyOut } from '../copyOut.ts';
import { exportFrom } from '../exportOpenData.ts';
import { hashOf, makeFolder, publishFile } from '../publishedFile.ts';
import {
  INDEX,
  type Index,
  indexText,
  type Resource,
  readIndex,
  type Seen,
  schemaText,
} from './descriptor.ts';
import {
  fingerprintOf,
  KINDS,
  type Kind,
  metadataOf,
  type Period,
  pathOf,
  selectRows,
} from './files.ts';
import { writeParquet } from './parquetFile.ts';
import { type Places, placesOf, STATIONS } from './places.ts';

/** The layout of airquality.am, as the command `export` writes it. */
const OPEN_DATA = 'airquality-am';

type ArchiveOptions = {
  folder: string;
  timeZone: string;
  now: Date;
  log: Log;
  terminal: boolean;
  /** The text of the licence; undefined: nothing is said about one. */
  license: string | undefined;
  /** Ends the run between two pieces of a file; what it has finished stays. */
  signal?: AbortSignal | undefined;
};

/** Paths of the files that changed or are new, and of those that went, and how many there are now. */
type Archived = { changed: string[]; removed: string[]; files: number };

/**
 * Resolves to undefined where another session makes an archive from this database. Rejects with
 * InputError if the folder cannot be written to.
 */
export async function makeArchive(
  target: DatabaseAddress,
  options: ArchiveOptions,
): Promise<Archived | undefined> {
  const { folder, timeZone } = options;
  makeFolder(folder);
  try {
    return await asOwner(target, { name: 'airseries archive', timeZone }, async (sql) => {
      const [lock] = await sql`
        select pg_try_advisory_lock(hashtext('airseries'), hashtext('archive')) as is_ours`;
      if (lock?.is_ours !== true) return undefined;
      await beginSnapshot(sql);
      return await makeFiles(sql, options);
    });
  } catch (error) {
    throw ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES'].includes(errorCode(error))
      ? new InputError('archive', whyUnusable(folder, error), DISK_REMEDY)
      : error;
  }
}

const DISK_REMEDY =
  'The files that are there stay whole. Make room there, or name another folder with ARCHIVE_DIR, and run it again.';

/**
 * Between two steps of a refresh: within one, some levels have changed and those above them not yet.
 */
async function beginSnapshot(sql: Sql): Promise<void> {
  await sql`call raw.acquire_lock('rollup.refresh')`;
  await sql`begin isolation level repeatable read read only`;
  await sql`select raw.release_lock('rollup.refresh')`; // its snapshot is the transaction's
}

type PeriodAt = Period & { stations_changed: boolean; regions_changed: boolean };

/** A file that may have to be made. */
type Due = { kind: Kind; period: Period };

async function makeFiles(sql: Sql, options: ArchiveOptions): Promise<Archived> {
  const { folder, timeZone, now, license } = options;
  const before = await readIndex(folder);
  const { seen, month } = await seenNow(sql, options);
  const isKnown =
    before !== undefined && isContinued(before.seen, seen) && (await hasStationsOf(folder, before)); // or a run was killed after it had written them
  const known = isKnown ? before : undefined;
  const stations = await listedStations(sql, now);
  const relisted = symmetricDifference(stations, await stationsIn(folder));
  const periods = await sql<PeriodAt[]>`
    select unit, name, since::text, until::text, stations_changed, regions_changed
    from logic.archive_period(${now}, ${`{${stations.join()}}`}::text::int[], ${`{${relisted.join()}}`}::text::int[],
      ${known?.seen.change ?? '0'}::text::bigint)`;

  const { due, resources } = await sort(periods, known, folder);
  resources.push(...(await makeDue(sql, due, { ...options, stations })));
  const places = placesOf(stations);
  for (const one of places) resources.push(await makePlaces(sql, one, options));
  const ordered = KINDS_AND_PLACES.flatMap((name) =>
    resources.filter(({ path }) => path === name || path.startsWith(`${name}/`)).sort(byPath),
  );
  const { index, changed, removed } = compared(before, ordered);
  const isWritten = await makeOpenData(sql, [...changed, ...removed], month, options);
  index.push(
    ...(isWritten ? await openDataIn(folder) : (before?.resources ?? []).filter(isOpenData)),
  );

  const write = async (name: string, text: string) =>
    void (await publishFile(folder, name, (put) => put(text), { modified: now }));
  for (const { name, columns } of KINDS)
    await write(schemaOf(name), schemaText(columns, keyOf(columns)));
  for (const { name, fields } of places)
    await write(schemaOf(name), schemaText(fields, keyOf(fields).slice(0, 1)));
  if (license !== undefined) await write('LICENSE', `${license.trimEnd()}\n`);
  const isSame = known !== undefined && changed.length + removed.length === 0;
  await write(
    INDEX,
    indexText({ seen: isSame ? known.seen : seen, resources: index }, { timeZone, license }),
  );
  await removeUnlisted(folder, ordered);
  return { changed, removed, files: ordered.length };
}

const KINDS_AND_PLACES = [
  ...placesOf([]).map(({ name }) => name),
  ...KINDS.map(({ name }) => name),
];
const byPath = (a: Resource, b: Resource) => (a.path < b.path ? -1 : 1);
const schemaOf = (name: string) => `schemas/${name.replace('.csv', '')}.json`;
/** The station or region, and the time. */
const keyOf = (columns: readonly { name: string }[]) => columns.slice(0, 2).map(({ name }) => name);

/** The state that the folder will have seen, and the start of the running month. */
async function seenNow(
  sql: Sql,
  { timeZone, now }: ArchiveOptions,
): Promise<{ seen: Seen; month: Date }> {
  const [row] = await sql<
    [{ database: string; change: string; month: string; refreshed_at: string | null }]
  >`
    select f.history as database, f.refreshed_at, rollup.bucket_start('month', ${now}) as month,
      (select coalesce(max(id), 0)::text from rollup.change where shown_at is not null) as change
    from api.freshness f`;
  const { month, refreshed_at, ...seen } = row;
  const refreshedAt = new Date(refreshed_at ?? 0).toISOString();
  return {
    seen: { ...seen, columns: fingerprintOf(timeZone), refreshed_at: refreshedAt },
    month: new Date(month),
  };
}

/**
 * True if the record of changes goes on from what the folder has seen: in the same database, which
 * was not set back, for files with the same columns.
 */
const isContinued = (before: Seen, now: Seen): boolean =>
  before.database === now.database &&
  before.columns === now.columns &&
  BigInt(before.change) <= BigInt(now.change);

async function listedStations(sql: Sql, now: Date): Promise<number[]> {
  const rows = await sql<{ station_id: number }[]>`
    select station_id from logic.station_state(${now}) where is_listed order by station_id`;
  return rows.map(({ station_id }) => station_id);
}

/** True if the list of stations is the one that the index describes. */
async function hasStationsOf(folder: string, { resources }: Index): Promise<boolean> {
  const listed = resources.find(({ path }) => path === STATIONS);
  return listed?.hash === `sha256:${await hashOf(join(folder, STATIONS))}`;
}

/** The stations that the folder lists; none where it has no list yet. */
async function stationsIn(folder: string): Promise<number[]> {
  const text = await readFile(join(folder, STATIONS), 'utf8').catch(() => '');
  return [...text.matchAll(/^\d+(?=,)/gm)].map(([id]) => Number(id));
}

function symmetricDifference(a: readonly number[], b: readonly number[]): number[] {
  const [ofA, ofB] = [new Set(a), new Set(b)];
  return [...a.filter((id) => !ofB.has(id)), ...b.filter((id) => !ofA.has(id))];
}

/**
 * A reading less than two hours late is no news (R1), counted from the last refresh before it came.
 * So a period that ended this shortly before the refresh that the folder shows may have changed
 * without a record.
 */
const NO_NEWS_MS = 2 * 3_600_000;

/** Which files are due, and what the index says of the others. */
async function sort(
  periods: readonly PeriodAt[],
  known: Index | undefined,
  folder: string,
): Promise<{ due: Due[]; resources: Resource[] }> {
  const settled = known === undefined ? -1 : Date.parse(known.seen.refreshed_at) - NO_NEWS_MS;
  const old = new Map(known?.resources.map((resource) => [resource.path, resource]));
  const due: Due[] = [];
  const resources: Resource[] = [];
  for (const kind of KINDS) {
    for (const { stations_changed, regions_changed, ...period } of periods) {
      if (period.unit !== kind.unit) continue;
      const resource = old.get(pathOf(kind, period.name));
      const isChanged = kind.subject === 'station' ? stations_changed : regions_changed;
      const isDue = isChanged || settled < Date.parse(period.until);
      if (isDue || !(await isThere(folder, resource))) due.push({ kind, period });
      else if (resource !== undefined) resources.push(resource);
    }
  }
  return { due, resources };
}

/** True for no resource: a month without rows has no file. */
async function isThere(folder: string, resource: Resource | undefined): Promise<boolean> {
  if (resource === undefined) return true;
  const found = await stat(join(folder, resource.path)).catch(() => undefined);
  return found?.size === resource.bytes;
}

/** Makes the files that are due, without those that would have no rows. */
async function makeDue(
  sql: Sql,
  due: readonly Due[],
  { stations, ...options }: ArchiveOptions & { stations: readonly number[] },
): Promise<Resource[]> {
  const { folder, timeZone, now, log, terminal, signal } = options;
  const progress = makeProgress('archiving', log, terminal);
  const resources: Resource[] = [];
  let rows = 0;
  try {
    for (const [done, { kind, period }] of due.entries()) {
      const path = pathOf(kind, period.name);
      let written = { rows: 0, first: 0, last: 0 };
      const published = await publishFile(
        folder,
        path,
        async (write) => {
          const copy = `copy (${selectRows(kind, period, stations)}) to stdout (format binary)`;
          written = await writeParquet(kind.columns, copyOut(sql, copy), {
            metadata: metadataOf(kind, timeZone),
            async write(bytes) {
              signal?.throwIfAborted();
              await write(bytes);
            },
            onRows: (of) => progress.show(rows + of, done / due.length),
          });
          return written.rows > 0;
        },
        { modified: now },
      );
      if (published === undefined) continue;
      rows += written.rows;
      resources.push({
        profile: 'data-resource',
        name: path.replace('.parquet', '').replace('/', '-'),
        title: `${kind.title}, ${period.name}`,
        path,
        format: 'parquet',
        mediatype: 'application/vnd.apache.parquet',
        ...(await describe(folder, path, published.sha256)),
        rows: written.rows,
        first: instant(written.first),
        last: instant(written.last),
        schema: schemaOf(kind.name),
      });
    }
  } finally {
    progress.hide();
  }
  return resources;
}

const instant = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The entry of the index for a file as it lies in the folder. */
async function describe(folder: string, path: string, sha256: string) {
  const { size, mtime } = await stat(join(folder, path));
  return { bytes: size, hash: `sha256:${sha256}`, modified: mtime.toISOString() };
}

const CSV = { format: 'csv', mediatype: 'text/csv', encoding: 'utf-8' } as const;

async function makePlaces(
  sql: Sql,
  { name, title, select }: Places,
  { folder, now }: ArchiveOptions,
): Promise<Resource> {
  let rows = 0;
  const published = await publishFile(
    folder,
    name,
    async (write) => {
      rows = await copyCsv(sql, select, write);
    },
    { modified: now },
  );
  return {
    profile: 'tabular-data-resource',
    name: name.replace('.csv', ''),
    title,
    path: name,
    ...CSV,
    ...(await describe(folder, name, published.sha256)),
    rows,
    schema: schemaOf(name),
  };
}

/**
 * The resources of the index, and the paths of those that differ from the index before and of those
 * that it alone has. What has not changed keeps its time: copies of a folder have others.
 */
function compared(before: Index | undefined, resources: readonly Resource[]) {
  const of = before?.resources.filter((resource) => !isOpenData(resource));
  const old = new Map(of?.map((resource) => [resource.path, resource]));
  const isSame = ({ path, hash }: Resource) => old.get(path)?.hash === hash;
  return {
    index: resources.map((resource) => ({
      ...resource,
      modified:
        (isSame(resource) ? old.get(resource.path) : undefined)?.modified ?? resource.modified,
    })),
    changed: resources.filter((resource) => !isSame(resource)).map(({ path }) => path),
    removed: [...old.keys()].filter((path) => !resources.some((one) => one.path === path)),
  };
}

/**
 * The closed months in the layout of airquality.am, from the first year with a change on. Without
 * one, and where the folder is there, nothing is read: the days of sensors, which are not stored,
 * take longer than everything else.
 */
async function makeOpenData(
  sql: Sql,
  changed: readonly string[],
  month: Date,
  { folder, ...options }: ArchiveOptions,
): Promise<boolean> {
  const own = join(folder, OPEN_DATA);
  const months = changed.flatMap((path) => /hours\/(\d{4}-\d\d)/.exec(path)?.[1] ?? []).sort();
  const isNew = (await stat(join(own, INDEX)).catch(() => undefined)) === undefined;
  if (!isNew && months.length === 0) return false;
  options.signal?.throwIfAborted();
  const from = isNew ? undefined : new Date(`${months[0]}-15T00:00:00Z`); // the year counts
  await exportFrom(sql, own, { ...options, from, to: month });
  return true;
}

const isOpenData = ({ path }: Resource) => path.startsWith(`${OPEN_DATA}/`);

/** The files in the layout of airquality.am, whose own index beside them has their columns. */
async function openDataIn(folder: string): Promise<Resource[]> {
  const text = await readFile(join(folder, OPEN_DATA, INDEX), 'utf8');
  const { resources }: { resources: Pick<Resource, 'title' | 'path'>[] } = JSON.parse(text);
  return await Promise.all(
    resources.map(async (one): Promise<Resource> => {
      const path = `${OPEN_DATA}/${one.path}`;
      return {
        profile: 'data-resource',
        name: path.replace('.csv', '').replaceAll(/[/_]/g, '-'),
        title: one.title,
        path,
        ...CSV,
        ...(await describe(folder, path, (await hashOf(join(folder, path))) ?? '')),
      };
    }),
  );
}

/** Files of months that have no rows any more, and what runs that were killed have left. */
async function removeUnlisted(folder: string, resources: readonly Resource[]): Promise<void> {
  const listed = new Set(resources.map(({ path }) => path));
  const ours = ['.', 'schemas', ...KINDS.map(({ name }) => name)];
  for (const part of ours) {
    for (const name of await readdir(join(folder, part)).catch(() => [])) {
      const isSurplus = part !== '.' && name.endsWith('.parquet') && !listed.has(`${part}/${name}`);
      if (isSurplus || name.endsWith('.part')) await rm(join(folder, part, name), { force: true });
    }
  }
}
