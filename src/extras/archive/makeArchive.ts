/**
 * Makes the archive (R2): the files that are missing, behind or of the running month and year, and
 * the index after each of them. The files of a kind come from one snapshot: one for all of them
 * would keep vacuum from cleaning up for as long as a first build takes. A file is replaced only if
 * its content differs, so a run that finds nothing new changes no byte, and one that is killed
 * leaves old and new files, all whole and in the index; the next run does the rest.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { whyUnusable } from '../../base/folder.ts';
import { InputError } from '../../base/inputError.ts';
import type { Log } from '../../base/log.ts';
import { makeProgress, type Progress } from '../../base/progress.ts';
import type { DatabaseAddress } from '../../database/address.ts';
import { asOwner, type Sql } from '../../database/client.ts';
import { errorCode } from '../../database/errors.ts';
import { copyCsv, copyOut } from './copyOut.ts';
import { writeOpenData } from './csv/openData.ts';
import {
  INDEX,
  type Index,
  indexText,
  type Resource,
  readIndex,
  schemaText,
} from './descriptor.ts';
import { KINDS, type Kind, metadataOf, selectRows } from './files.ts';
import { writeParquet } from './parquetFile.ts';
import { type Places, placesOf } from './places.ts';
import { continued, type Due, hasChanges, isThere, planOf, readState, type State } from './plan.ts';
import { hashOf, makeFolder, publishFile } from './publishedFile.ts';

/** The folder of the CSV files in the layout of airquality.am. */
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
export const makeArchive = (
  target: DatabaseAddress,
  options: ArchiveOptions,
): Promise<Archived | undefined> =>
  inFolder(target, options, async (sql) => await makeFiles(sql, options));

/**
 * Says in the index which files of months and years that have ended are behind, without making any.
 * Resolves to a text that differs whenever something has been added to what they lack; undefined if
 * they lack nothing, refreshes are still at work, or another session makes an archive.
 */
export const findBacklog = (
  target: DatabaseAddress,
  options: ArchiveOptions,
): Promise<string | undefined> =>
  inFolder(target, options, async (sql) => {
    const before = await readIndex(options.folder);
    if (before?.missing.length === 0 && !(await hasChanges(sql, before, options.now)))
      return undefined;
    const state = await withSnapshot(sql, () => readState(sql, before, options));
    const index = continued(before, state);
    const { due } = await planOf(state, index, options);
    const behind = due.filter(({ isBehind }) => isBehind);
    if (index !== undefined) {
      const missing = behind.map(({ path }) => path);
      await writeIndex({ ...options, index: { ...index, missing }, written: index });
    }
    if (behind.length === 0 || state.isRefreshing) return undefined;
    return JSON.stringify([state.stations, state.periods.filter((one) => !one.is_running)]);
  });

async function inFolder<T>(
  target: DatabaseAddress,
  { folder, timeZone }: ArchiveOptions,
  work: (sql: Sql) => Promise<T>,
): Promise<T | undefined> {
  makeFolder(folder);
  try {
    return await asOwner(target, { name: 'airseries archive', timeZone }, async (sql) => {
      const [lock] = await sql`
        select pg_try_advisory_lock(hashtext('airseries'), hashtext('archive')) as is_ours`;
      return lock?.is_ours === true ? await work(sql) : undefined;
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
 * Works on a snapshot from between two steps of a refresh: within one, some levels have changed and
 * those above them not yet. If the work fails, its caller closes the connection.
 */
async function withSnapshot<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql`call raw.acquire_lock('rollup.refresh')`;
  await sql`begin isolation level repeatable read read only`;
  await sql`select raw.release_lock('rollup.refresh')`; // its snapshot is the transaction's
  const result = await work();
  await sql`commit`;
  return result;
}

/**
 * A run: the index as it grows, the one that is in the folder, and the entries that were there
 * before it.
 */
type Run = ArchiveOptions & {
  index: Index;
  written: Index | undefined;
  old: ReadonlyMap<string, Resource>;
  progress: Progress;
  rows: number;
};

async function makeFiles(sql: Sql, options: ArchiveOptions): Promise<Archived> {
  const { folder, now, license, log, terminal } = options;
  const before = await readIndex(folder);
  const run: Run = {
    ...options,
    index: structuredClone(before) ?? emptyIndex(),
    written: before,
    old: new Map(before?.resources.map((resource) => [resource.path, resource])),
    progress: makeProgress('archiving', log, terminal),
    rows: 0,
  };
  let places: Places[] = [];
  try {
    for (const kind of KINDS)
      await withSnapshot(sql, async () => await makeKind(sql, kind, await stateOf(sql, run), run));
    await withSnapshot(sql, async () => {
      const state = await stateOf(sql, run);
      places = placesOf(state.listed);
      for (const one of places) put(run, await makePlaces(sql, one, options));
      await makeOpenData(sql, state, run);
    });
  } finally {
    run.progress.hide();
  }

  const write = async (name: string, text: string) => {
    await publishFile(folder, name, (put) => put(text), { modified: now });
    return name;
  };
  const documents: string[] = [];
  for (const { name, columns } of KINDS)
    documents.push(await write(schemaOf(name), schemaText(columns, keyOf(columns))));
  for (const { name, fields } of places)
    documents.push(await write(schemaOf(name), schemaText(fields, keyOf(fields).slice(0, 1))));
  if (license !== undefined) documents.push(await write('LICENSE', `${license.trimEnd()}\n`));
  for (const name of ['README.txt', INDEX, 'LICENSE']) {
    const path = `${OPEN_DATA}/${name}`;
    if ((await stat(join(folder, path)).catch(() => undefined)) !== undefined) documents.push(path);
  }
  run.index.documents = documents;
  await writeIndex(run);
  const { resources } = run.index;
  await removeUnlisted(folder, resources);
  return { ...compared(before, resources), files: resources.length };
}

/** Reads the state of the snapshot. An index that does not belong to its database begins again. */
async function stateOf(sql: Sql, run: Run): Promise<State> {
  const state = await readState(sql, run.index, run);
  const { database, columns } = state;
  run.index = continued(run.index, state) ?? emptyIndex({ database, columns });
  return state;
}

/** Comes before every month. */
const FIRST_MONTH = '0000-00';

const emptyIndex = (of = { database: '', columns: '' }): Index => ({
  resources: [],
  missing: [],
  documents: [],
  airseries: { ...of, open_data_from: FIRST_MONTH },
});

/** Makes what is due of a kind, and removes from the index what has no rows any more. */
async function makeKind(sql: Sql, { name }: Kind, state: State, run: Run): Promise<void> {
  const { index, signal } = run;
  const isOfKind = ({ path }: { path: string }) => path.startsWith(`${name}/`);
  const plan = await planOf(state, index, run);
  const listed = new Map(index.resources.map((resource) => [resource.path, resource]));
  const missing = plan.due.filter(({ isMissing }) => isMissing);
  index.missing = missing.map(({ path }) => path);
  await writeIndex(run);
  const due = plan.due.filter(isOfKind);
  const kept = new Set([...plan.settled, ...due.map(({ path }) => path)]);
  for (const { path } of index.resources.filter(isOfKind)) {
    if (kept.has(path)) continue;
    remove(index, path);
    openDataChanges(index, path);
  }
  for (const [done, one] of due.entries()) {
    signal?.throwIfAborted();
    const resource = await makeFile(sql, one, state.listed, run, done / due.length);
    if (resource === undefined) remove(index, one.path);
    else put(run, resource);
    index.missing = index.missing.filter((path) => path !== one.path);
    if (resource?.hash !== listed.get(one.path)?.hash) openDataChanges(index, one.path);
    await writeIndex(run, one.isBehind);
  }
  // what has not changed has seen this snapshot too
  const { change, refreshed_at, stations } = state;
  const settled = new Set(plan.settled);
  for (const { path, airseries } of index.resources.filter(isOfKind))
    if (settled.has(path) && airseries !== undefined)
      Object.assign(airseries, { change, refreshed_at, stations });
}

/** The CSV files are made of the same hours. */
function openDataChanges({ airseries }: Index, path: string): void {
  const [, name] = /hours\/(\d{4}-\d\d)/.exec(path) ?? [];
  if (name !== undefined && name < airseries.open_data_from) airseries.open_data_from = name;
}

const FOLDERS = [...placesOf([]).map(({ name }) => name), ...KINDS.map(({ name }) => name)];
const positionOf = ({ path }: Resource) => {
  const found = FOLDERS.findIndex((name) => path === name || path.startsWith(`${name}/`));
  return found === -1 ? FOLDERS.length : found;
};

/** Replaces the entry of the path, or adds it. The layout of airquality.am has an order of its own. */
function put({ index, old }: Run, resource: Resource): void {
  const before = old.get(resource.path);
  // what has not changed keeps its time: copies of a folder have others
  const modified = before?.hash === resource.hash ? before.modified : resource.modified;
  remove(index, resource.path);
  index.resources.push({ ...resource, modified });
  index.resources.sort((a, b) => {
    const order = positionOf(a) - positionOf(b);
    return order !== 0 || isOpenData(a) ? order : a.path < b.path ? -1 : 1;
  });
}

function remove(index: Index, path: string): void {
  index.resources = index.resources.filter((resource) => resource.path !== path);
}

/**
 * Writes the index if it differs in more than in what its files have seen; `isForced`: then too, so
 * that a file that was made for nothing is not made again.
 */
async function writeIndex(run: Omit<Run, 'old' | 'progress' | 'rows'>, isForced = false) {
  const { folder, now, index, written } = run;
  const isSame = written !== undefined && shownOf(index) === shownOf(written) && !isForced;
  if (!isSame) run.written = structuredClone(index);
  const text = indexText(run.written as Index, run);
  await publishFile(folder, INDEX, (write) => write(text), { modified: now });
}

const shownOf = ({ resources, ...index }: Index) =>
  JSON.stringify([index, resources.map(({ airseries, ...resource }) => resource)]);

const schemaOf = (name: string) => `schemas/${name.replace('.csv', '')}.json`;
/** The station or region, and the time. */
const keyOf = (columns: readonly { name: string }[]) => columns.slice(0, 2).map(({ name }) => name);

/** Makes a file; undefined where it would have no rows. `done`: which part of its kind is there. */
async function makeFile(
  sql: Sql,
  { kind, period, path, seen }: Due,
  stations: readonly number[],
  run: Run,
  done: number,
): Promise<Resource | undefined> {
  const { folder, timeZone, now, signal, progress } = run;
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
        onRows: (of) => progress.show(run.rows + of, done),
      });
      return written.rows > 0;
    },
    { modified: now },
  );
  if (published === undefined) return undefined;
  run.rows += written.rows;
  return {
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
    airseries: seen,
  };
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

/** Paths of the resources that differ from the index before, and of those that it alone has. */
function compared(before: Index | undefined, resources: readonly Resource[]) {
  const old = new Map(before?.resources.map(({ path, hash }) => [path, hash]));
  return {
    changed: resources.filter(({ path, hash }) => old.get(path) !== hash).map(({ path }) => path),
    removed: [...old.keys()].filter((path) => !resources.some((one) => one.path === path)),
  };
}

/** The CSV files, from the first month with a change on; the running one changes with each hour. */
async function makeOpenData(sql: Sql, { month }: State, run: Run): Promise<void> {
  const { index, folder, old, progress, rows, ...options } = run;
  const own = join(folder, OPEN_DATA);
  const since = index.airseries.open_data_from;
  const from = since === FIRST_MONTH ? undefined : `${since}-01 00:00:00`;
  const isWhole = (name: string) => isThere(folder, old.get(`${OPEN_DATA}/${name}`));
  const onLines = (lines: number, done: number) => progress.show(rows + lines, done);
  await writeOpenData(sql, own, { ...options, from, isWhole, onLines });
  index.airseries.open_data_from = month;
  index.resources = index.resources.filter((resource) => !isOpenData(resource));
  for (const resource of await openDataIn(folder)) put(run, resource);
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
