/** Lists what an export's folder holds in the end, and writes the three files that describe it: README.txt, LICENSE and datapackage.json. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { datapackageText } from './datapackage.ts';
import { type Field, fieldsOf, fileOf, LAYOUTS, type Layout } from './layouts.ts';
import { publishFile } from './publishedFile.ts';
import { readmeText } from './readme.ts';
import { SENSOR_FIELDS, SENSORS } from './sensors.ts';

/** One CSV file. */
export type Table = {
  name: string;
  title: string;
  /** Relative to the folder. */
  path: string;
  bytes: number;
  fields: readonly Field[];
  /** The columns that no two lines have in common. */
  key?: string | string[];
};

export type PublishedData = {
  timeZone: string;
  /** The text of LICENSE; undefined: nothing is said about a license. */
  license: string | undefined;
  tables: readonly Table[];
};

/** Writes the descriptions of what is in the folder. Resolves to the names of those whose content changed. */
export async function describeFolder(
  folder: string,
  { timeZone, license }: { timeZone: string; license: string | undefined },
): Promise<string[]> {
  const published = { timeZone, license, tables: await tablesIn(folder) };
  const texts: Record<string, string> = {
    'README.txt': readmeText(published),
    ...(license === undefined ? {} : { LICENSE: `${license.trimEnd()}\n` }),
    'datapackage.json': datapackageText(published),
  };
  const rewritten: string[] = [];
  for (const [name, text] of Object.entries(texts))
    if (await publishFile(folder, name, (write) => write(text))) rewritten.push(name);
  return rewritten;
}

/** Also those of years that this export left alone. */
async function tablesIn(folder: string): Promise<Table[]> {
  const sensors: Omit<Table, 'bytes'> = {
    name: 'sensors',
    title: 'Sensors and the stations where they stand',
    path: SENSORS,
    fields: SENSOR_FIELDS,
    key: 'id',
  };
  const tables = [sensors];
  for (const layout of LAYOUTS) tables.push(...(await tablesOf(folder, layout)));
  return Promise.all(tables.map(async (table) => ({ ...table, bytes: (await stat(join(folder, table.path))).size })));
}

async function tablesOf(folder: string, layout: Layout): Promise<Omit<Table, 'bytes'>[]> {
  const { name, title, unit, subject } = layout;
  const fields = fieldsOf(layout);
  if (unit === 'day') return [{ name, title, path: fileOf(layout, ''), fields, key: [subject.name, 'timestamp'] }];
  const found: string[] = await readdir(join(folder, name)).catch(() => []);
  const years = found.map((file) => file.slice(`${name}_`.length, -'.csv'.length));
  return (
    years
      .filter((year) => /^\d{4}$/.test(year) && found.includes(`${name}_${year}.csv`))
      .sort()
      // no key: where the clocks go back, an hour occurs twice
      .map((year) => ({ name: `${name}_${year}`, title: `${title}, ${year}`, path: fileOf(layout, year), fields }))
  );
}
