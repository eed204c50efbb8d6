/** A Parquet file of the archive: its row groups, and its bytes, which only the rows decide. */
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { columnsOf } from '../../../src/extras/archive/columns.ts';
import { writeParquet } from '../../../src/extras/archive/parquetFile.ts';

const [ID, TIMESTAMP] = columnsOf('station', 'hour');
const PM25 = columnsOf('station', 'hour').find(({ name }) => name === 'avg_pm25');
const COLUMNS = [ID, TIMESTAMP, PM25].flatMap((column) => column ?? []);
const START = Date.UTC(2026, 9, 1);
const STATIONS = 100;
const HOURS = 744;

/** The rows as COPY sends them in binary format; every seventh value is null. */
function copied(): Buffer {
  const parts = [Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')];
  for (let row = 0; row < STATIONS * HOURS; row++) {
    const bytes = Buffer.alloc(row % 7 === 0 ? 26 : 34);
    bytes.writeInt16BE(3);
    bytes.writeInt32BE(4, 2);
    bytes.writeInt32BE(Math.floor(row / HOURS), 6);
    bytes.writeInt32BE(8, 10);
    const ms = START + (row % HOURS) * 3_600_000 - Date.UTC(2000);
    bytes.writeBigInt64BE(BigInt(ms) * 1_000n, 14);
    bytes.writeInt32BE(row % 7 === 0 ? -1 : 8, 22);
    if (row % 7 > 0) bytes.writeDoubleBE((row % 1_000) / 10, 26);
    parts.push(bytes);
  }
  return Buffer.concat([...parts, Buffer.from([0xff, 0xff])]);
}

async function written(chunkBytes: number, all = copied()) {
  const parts: Buffer[] = [];
  async function* chunks() {
    for (let at = 0; at < all.length; at += chunkBytes) yield all.subarray(at, at + chunkBytes);
  }
  const result = await writeParquet(COLUMNS, chunks(), {
    metadata: {},
    write: async (bytes) => void parts.push(bytes),
    onRows: () => undefined,
  });
  return { result, file: Buffer.concat(parts) };
}

it('the same rows give the same bytes, however they arrive', async () => {
  const { file } = await written(997);
  expect((await written(10_000_000)).file.equals(file)).toBe(true);
});

it('a row group ends with a station, and every value can be read', async () => {
  const { result, file } = await written(64_000);
  expect(result).toEqual({
    rows: STATIONS * HOURS,
    first: START,
    last: START + (HOURS - 1) * 3_600_000,
  });
  const buffer = new Uint8Array(file).buffer;
  const groups = parquetMetadata(buffer).row_groups.map(({ num_rows }) => Number(num_rows));
  expect(groups).toEqual([34 * HOURS, 34 * HOURS, 32 * HOURS]);
  const rows = await parquetReadObjects({ file: buffer });
  const wrong = rows.filter(
    (row, index) =>
      row.station_id !== Math.floor(index / HOURS) ||
      row.timestamp.getTime() !== START + (index % HOURS) * 3_600_000 ||
      row.avg_pm25 !== (index % 7 === 0 ? null : (index % 1_000) / 10),
  );
  expect([rows.length, wrong.slice(0, 3)]).toEqual([STATIONS * HOURS, []]);
});

it('rows that end before the end of their COPY make no file', async () => {
  const cut = copied().subarray(0, -2);
  await expect(written(65_536, cut)).rejects.toThrow('the rows of a COPY end in the middle');
});
