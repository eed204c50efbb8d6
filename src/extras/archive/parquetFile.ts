/**
 * Writes rows as a Parquet file, one row group after the other, so that memory holds one group
 * however long the file is. The same rows give the same bytes.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { type Columns, makeRowReader, type Value } from './binaryCopy.ts';
import type { ArchiveColumn, ColumnType } from './columns.ts';

/**
 * A group ends with the first station that takes it to this many rows, so a station is in one
 * group. A reader of one station fetches the footer, which grows with the number of groups, and one
 * group: of a month of 1,000 stations 736 kB, with 50,000 rows 926 kB, with 100,000 1,318 kB. With
 * 9,000 it is 609 kB, but the file is a fifth larger. (hyparquet, whose first request is 524 kB.)
 */
const ROWS_OF_GROUP = 25_000;

/** Rows written; and the first and the last bucket, in milliseconds since 1970. */
export type Written = { rows: number; first: number; last: number };

/**
 * `chunks`: a COPY of the columns in binary format, sorted by the first column. Rejects with the
 * error of `write`.
 */
export async function writeParquet(
  columns: readonly ArchiveColumn[],
  chunks: AsyncIterable<Buffer>,
  {
    metadata,
    write,
    onRows,
  }: {
    metadata: Readonly<Record<string, string>>;
    write(bytes: Buffer): Promise<void>;
    /** Is told from time to time how many rows have been read. */
    onRows(rows: number): void;
  },
): Promise<Written> {
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    createdBy: 'airseries',
  });
  const instants = columns.findIndex(({ type }) => type === 'instant');
  const data: Columns = columns.map(() => []);
  const [ids] = data as [Value[]];
  const reader = makeRowReader(
    columns.map(({ type }) => type),
    data,
  );
  const written: Written = { rows: 0, first: Number.POSITIVE_INFINITY, last: 0 };

  /** Copies the encoded bytes: the writer goes on in the same memory. */
  const flush = async () => {
    const bytes = Buffer.from(writer.getBytes());
    writer.index = 0;
    await write(bytes);
  };
  /** Writes the first `rows` of what has been read as a group. */
  const writeGroup = async (rows: number) => {
    if (rows === 0) return;
    const group = data.map((values) => values.splice(0, rows));
    for (const instant of group[instants] as bigint[]) {
      const at = Number(instant);
      if (at < written.first) written.first = at;
      if (at > written.last) written.last = at;
    }
    await appendGroup(file, columns, group);
    written.rows += rows;
    onRows(written.rows);
    await flush();
  };

  // by rows alone: how the chunks are cut must not show in the file
  const groups: number[] = [];
  let start = 0; // of the newest group
  const onRow = () => {
    const newest = ids.length - 1;
    if (newest - start < ROWS_OF_GROUP || ids[newest] === ids[newest - 1]) return;
    groups.push(newest - start);
    start = newest;
  };
  const writeGroups = async () => {
    for (const rows of groups.splice(0)) {
      await writeGroup(rows);
      start -= rows;
    }
  };
  for await (const chunk of chunks) {
    reader.read(chunk, onRow);
    await writeGroups();
  }
  reader.end(onRow);
  await writeGroups();
  await writeGroup(ids.length);
  await file.finish();
  await flush();
  return written;
}

/**
 * Encodes a group column by column, with a turn of the event loop after each: all of a group at
 * once held it for 0.3 to 0.45 s, in which probes, pages and pushes of the process waited. Each
 * column goes through a writer of its own into the same bytes, and its description into the file's.
 */
async function appendGroup(
  file: ParquetWriter,
  columns: readonly ArchiveColumn[],
  group: Columns,
): Promise<void> {
  const rows = group[0]?.length ?? 0;
  const start = file.writer.offset;
  const chunks: ParquetWriter['row_groups'][number]['columns'] = [];
  let bytes = 0n;
  for (const [index, column] of columns.entries()) {
    const schema = [{ name: 'root', num_children: 1 }, elementOf(column)];
    const one = new ParquetWriter({ writer: new ByteWriter(), schema });
    one.writer = file.writer;
    await one.write({
      columnData: [{ name: column.name, data: group[index] as Value[] }],
      rowGroupSize: rows,
    });
    for (const { columns: own, total_byte_size } of one.row_groups) {
      chunks.push(...own);
      bytes += total_byte_size;
    }
    file.pendingIndexes.push(...one.pendingIndexes);
    await yieldToEventLoop();
  }
  file.num_rows += BigInt(rows);
  file.row_groups.push({
    columns: chunks,
    total_byte_size: bytes,
    num_rows: BigInt(rows),
    total_compressed_size: BigInt(file.writer.offset - start),
  });
}

/** A column as the file declares it. */
function elementOf({ name, type, isRequired }: ArchiveColumn): SchemaElement {
  return { name, ...ELEMENTS[type], repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL' };
}

const ELEMENTS = {
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
} as const satisfies Record<ColumnType, Partial<SchemaElement>>;
