/** What an export's folder holds in the end, and the three files that describe it: README.txt, LICENSE and datapackage.json. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { datapackageText } from './datapackage.ts';
import { type Field, fieldsOf, LAYOUTS, type Layout } from './layouts.ts';
import { openPublishedFile } from './publishedFile.ts';
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
  const rewritten: string[] = [];
  const publish = async (name: string, text: string) => {
    const file = await openPublishedFile(folder, name);
    try {
      await file.write(text);
      if (await file.commit()) rewritten.push(name);
    } catch (error) {
      await file.discard();
      throw error;
    }
  };
  await publish('README.txt', readmeText(published));
  if (license !== undefined) await publish('LICENSE', `${license.trimEnd()}\n`);
  await publish('datapackage.json', datapackageText(published));
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
  const tables = [sensors, ...(await Promise.all(LAYOUTS.map((layout) => tablesOf(folder, layout)))).flat()];
  return Promise.all(tables.map(async (table) => ({ ...table, bytes: (await stat(join(folder, table.path))).size })));
}

async function tablesOf(folder: string, layout: Layout): Promise<Omit<Table, 'bytes'>[]> {
  const { name, title, file, unit, subject } = layout;
  const fields = fieldsOf(layout);
  if (!file.includes('{year}')) return [{ name, title, path: file, fields, key: [subject.name, 'timestamp'] }];
  const [before = '', after = ''] = basename(file).split('{year}');
  const names = await readdir(join(folder, dirname(file))).catch(() => []);
  const years = names.flatMap((found) =>
    found.startsWith(before) && found.endsWith(after) ? [found.slice(before.length, found.length - after.length)] : [],
  );
  return years
    .filter((year) => /^\d{4}$/.test(year))
    .sort()
    .map((year) => ({
      name: `${name}_${year}`,
      title: `${title}, ${year}`,
      path: file.replace('{year}', year),
      fields,
      // where the clocks go back, an hour occurs twice
      ...(unit === 'day' ? { key: [subject.name, 'timestamp'] } : {}),
    }));
}
