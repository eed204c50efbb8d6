/** Lays buckets, which come in order of time, into the file or the yearly files of a layout. */
import type { Bucket } from './aggregates.ts';
import { type CsvFile, openCsvFile, type Row } from './csvFile.ts';
import type { Layout } from './layouts.ts';

export type AggregateFiles = {
  write(buckets: readonly Bucket[]): Promise<void>;
  /** The last file is whole. */
  keep(): Promise<void>;
  discard(): Promise<void>;
};

const YEAR = '{year}';

/** `counts` gets the number of lines of each file. */
export function makeAggregateFiles(folder: string, layout: Layout, counts: Record<string, number>): AggregateFiles {
  const { file, place, columns } = layout;
  const header = [place.name, 'timestamp', ...columns.map(({ name }) => name)];
  let open: { name: string; csv: CsvFile } | undefined;

  const turnTo = async (name: string): Promise<CsvFile> => {
    if (open?.name === name) return open.csv;
    await open?.csv.keep();
    open = undefined;
    const csv = await openCsvFile(folder, name, header);
    open = { name, csv };
    counts[name] = 0;
    return csv;
  };

  return {
    async write(buckets) {
      for (const [name, rows] of byFile(layout, buckets)) {
        const csv = await turnTo(name);
        await csv.write(rows);
        counts[name] = (counts[name] ?? 0) + rows.length;
      }
    },
    async keep() {
      // without a bucket there is no year to name a file of, but a table of days is there, if empty
      const csv = file.includes(YEAR) ? open?.csv : await turnTo(file);
      await csv?.keep();
    },
    async discard() {
      await open?.csv.discard();
    },
  };
}

function byFile({ file, columns }: Layout, buckets: readonly Bucket[]): Map<string, Row[]> {
  const files = new Map<string, Row[]>();
  for (const bucket of buckets) {
    const name = file.replace(YEAR, bucket.stamp.slice(0, 4));
    const values = columns.map(({ source, digits }) => asPublished(bucket[source] as number | null, digits));
    const rows = files.get(name) ?? [];
    rows.push([bucket.place, bucket.stamp, ...values]);
    files.set(name, rows);
  }
  return files;
}

/** Rounded already, in the database; but the files say 2.0 where JSON says 2. */
function asPublished(value: number | null, digits: number): string | null {
  return value === null ? null : value.toFixed(digits);
}
