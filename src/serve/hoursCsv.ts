/**
 * Renders hours of a station or region as files, for programs and for Excel, a few at a time, and
 * describes the columns of those for programs.
 */
import { CSV_HEADERS, describeCsv, excelOf, METADATA_SUFFIX } from '../contract/csv.ts';
import type { Locale } from '../contract/endpoints.ts';
import { type ExploreName, KEYS, MAX_CSV_DAYS, type Subject } from '../contract/explore.ts';
import type { ApiDb } from '../database/apiDb.ts';
import { query } from '../database/query.ts';
import { makeSemaphore } from '../database/semaphore.ts';
import { notFound, Problem } from '../http/send.ts';
import { csvKind, renderDocument } from './document.ts';
import type { Documents } from './documents.ts';
import { entryOf, type Row, validityOf } from './entry.ts';
import { found, type PathValues } from './paths.ts';
import { noSuch, type ReadRow } from './readRow.ts';

const DAY_MS = 86_400_000;

/**
 * A file takes a second of a large network's database, which others need too. Two are read at once;
 * the rest queue, for no longer than a proxy waits.
 */
const FILES_AT_ONCE = 2;
const FILE_QUEUE = { maxWaiting: 100, acquireTimeoutMs: 30_000 };
const RETRY_FILE_S = 30;

/** How each file and its description is rendered. `zone`: of the network. */
export function makeHoursCsv(
  db: ApiDb,
  readRow: ReadRow,
  zone: string,
): Documents<Extract<ExploreName, `${Subject}${'Csv' | 'CsvMetadata' | 'Excel'}`>> {
  const files = makeSemaphore(FILES_AT_ONCE, FILE_QUEUE);

  /** Throws Problem 503 where too many files are asked for. */
  async function inTurn<T>(signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
    await files.acquire(signal).catch(() => {
      const detail = `Too many files are asked for at the moment. Try again in ${RETRY_FILE_S} seconds.`;
      throw new Problem(503, detail, { 'Retry-After': String(RETRY_FILE_S) });
    });
    try {
      return await read();
    } finally {
      files.release();
    }
  }

  /** `what`: in the name of the file. */
  const file =
    (subject: Subject, what: string, textOf: (lines: string, locale: Locale) => string) =>
    async (values: PathValues, signal?: AbortSignal) => {
      const { locale, id, slug, from, to } = values;
      refuseNoPeriod(values);
      const row = await inTurn(signal, () => readRow(`${subject}Csv`, values));
      const name = `${subject === 'station' ? `station-${id}` : slug}_${what}_${from}_${to}.csv`;
      const kind = csvKind(name, what === 'hours' ? fileOf(to) + METADATA_SUFFIX : undefined);
      const text = textOf(row.lines ?? '', locale);
      return { document: renderDocument(locale, text, kind), ...validityOf([row]) };
    };
  const csv = (subject: Subject) =>
    file(subject, 'hours', (lines) => `${CSV_HEADERS[subject]}\n${lines}`);
  const excel = (subject: Subject) =>
    file(subject, 'excel', (lines, locale) => excelOf(subject, lines, { locale, zone }));
  const metadata = (subject: Subject) => async (values: PathValues) => {
    const { locale, to } = values;
    refuseNoPeriod(values);
    const key = KEYS[subject];
    const [row] = await query(
      db,
      `select i.time_zone, f.data_version
        from api.${subject} s cross join api.installation i cross join api.freshness f where s.${key} = $1`,
      [values[key]],
    );
    const known = row as (Row & { time_zone: string }) | undefined;
    const { time_zone, ...rest } = found(known, noSuch(subject, values));
    return entryOf(locale, JSON.stringify(describeCsv(subject, fileOf(to), time_zone)), rest);
  };
  return {
    stationCsv: csv('station'),
    regionCsv: csv('region'),
    stationExcel: excel('station'),
    regionExcel: excel('region'),
    stationCsvMetadata: metadata('station'),
    regionCsvMetadata: metadata('region'),
  };
}

/** Throws Problem 404 where the dates are not a period, or the period is too long. */
function refuseNoPeriod({ from, to }: PathValues): void {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > MAX_CSV_DAYS)
    throw notFound(
      `From ${from} to ${to} is no period of 1 to ${MAX_CSV_DAYS} days: both dates are included, the first one comes first.`,
    );
}

/** The last segment of the address of a file. */
const fileOf = (to: string) => `${to}.csv`;
