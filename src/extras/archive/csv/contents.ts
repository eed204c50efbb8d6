/**
 * Lists the CSV files in a folder, and writes the three files that describe them:
 * README.txt, LICENSE and datapackage.json.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UCUM_CODES } from '../../../contract/parameters.ts';
import { publishFile } from '../publishedFile.ts';
import { type Field, fieldsOf, fileOf, LAYOUTS, type Layout } from './layouts.ts';
import { SENSOR_FIELDS, SENSORS } from './sensors.ts';

/** One CSV file. */
type Table = {
  name: string;
  title: string;
  /** Relative to the folder. */
  path: string;
  bytes: number;
  fields: readonly Field[];
  /** The columns that no two lines have in common. */
  key?: string | string[];
};

type PublishedData = {
  timeZone: string;
  /** The text of LICENSE; undefined: nothing is said about a license. */
  license: string | undefined;
  tables: readonly Table[];
};

/** Writes the descriptions of what is in the folder. */
export async function describeFolder(
  folder: string,
  { timeZone, license }: { timeZone: string; license: string | undefined },
): Promise<void> {
  const published = { timeZone, license, tables: await tablesIn(folder) };
  const texts: Record<string, string> = {
    'README.txt': readmeText(published),
    ...(license === undefined ? {} : { LICENSE: `${license.trimEnd()}\n` }),
    'datapackage.json': datapackageText(published),
  };
  for (const [name, text] of Object.entries(texts))
    await publishFile(folder, name, (write) => write(text));
}

/** The tables in the folder, including years that this run left alone. */
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
  return Promise.all(
    tables.map(async (table) => ({ ...table, bytes: (await stat(join(folder, table.path))).size })),
  );
}

async function tablesOf(folder: string, layout: Layout): Promise<Omit<Table, 'bytes'>[]> {
  const { name, title, unit, subject } = layout;
  const fields = fieldsOf(layout);
  if (unit === 'day')
    return [{ name, title, path: fileOf(layout, ''), fields, key: [subject.name, 'timestamp'] }];
  const found: string[] = await readdir(join(folder, name)).catch(() => []);
  const years = found.map((file) => file.slice(`${name}_`.length, -'.csv'.length));
  return (
    years
      .filter((year) => /^\d{4}$/.test(year) && found.includes(`${name}_${year}.csv`))
      .sort()
      // no key: where the clocks go back, an hour occurs twice
      .map((year) => ({
        name: `${name}_${year}`,
        title: `${title}, ${year}`,
        path: fileOf(layout, year),
        fields,
      }))
  );
}

/** README.txt, for people. Files by year have one section. */
function readmeText({ timeZone, license, tables }: PublishedData): string {
  const sections = new Map<string, Table>();
  for (const table of tables) sections.set(table.path.replace(/_\d{4}\.csv$/, '_YYYY.csv'), table);
  const about = [
    'Air quality and weather: sensors, and hours and days of sensors, stations and cities',
    '',
    `All files are CSV: UTF-8, a header, commas. Times are local to ${timeZone}, without an offset; an hour or day is named by its beginning.`,
    'Where the clocks go back, an hour occurs twice, the earlier one first. Empty means unknown; an hour or day without measurements has no',
    'line, and the current one follows once it is over. Hidden stations are left out. A text that a spreadsheet would take for a formula has an',
    'apostrophe before it: one that begins with =, +, -, @ or a control character.',
    'A day is the mean of its hours, rain their sum. PM2.5 of stations and cities is corrected where a correction is known for the',
    'instrument; PM2.5 of sensors is what the instrument said. datapackage.json describes the same for programs (Frictionless).',
    ...(license === undefined ? [] : ['LICENSE says what you may do with the data.']),
  ];
  const described = [...sections].map(([path, { title, fields }]) => {
    const width = Math.max(...fields.map(({ name }) => name.length));
    const lines = fields.map(({ name, meaning, unit }) => {
      const inUnit = unit === undefined ? '' : ` [${unit}]`;
      return `  ${name.padEnd(width)}  ${meaning}${inUnit}`;
    });
    return [path, title.replace(/, \d{4}$/, ''), '', ...lines].join('\n');
  });
  return `${[about.join('\n'), ...described].join('\n\n')}\n`;
}

/** The times of all files: local, without an offset. */
const TIME_FORMAT = '%Y-%m-%d %H:%M:%S';

/**
 * datapackage.json, for programs (Frictionless Data Package 1.0,
 * https://specs.frictionlessdata.io). It says nothing about when it was made, so it changes only
 * when a file does.
 */
function datapackageText({ timeZone, license, tables }: PublishedData): string {
  const descriptor = {
    profile: 'tabular-data-package',
    name: 'air-quality-open-data',
    title: 'Air quality and weather: sensors, hours and days',
    description: `Times are local to ${timeZone}, without an offset. README.txt says the same in words.`,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    resources: tables.map(({ name, title, path, bytes, fields, key }) => ({
      profile: 'tabular-data-resource',
      name,
      title,
      path,
      format: 'csv',
      mediatype: 'text/csv',
      encoding: 'utf-8',
      bytes,
      schema: {
        fields: fields.map(fieldOf),
        missingValues: [''],
        ...(key === undefined ? {} : { primaryKey: key }),
        ...(fields[0]?.name === 'sensor_id' ? { foreignKeys: [TO_SENSORS] } : {}),
      },
    })),
  };
  return `${JSON.stringify(descriptor, null, 2)}\n`;
}

const TO_SENSORS = { fields: 'sensor_id', reference: { resource: 'sensors', fields: 'id' } };

/** A single word is the license's identifier, such as CC-BY-4.0. */
export function licenseOf(text: string): object {
  const title = text.split('\n', 1)[0];
  return { ...(/^[-\w.]+$/.test(text) ? { name: text } : {}), path: 'LICENSE', title };
}

function fieldOf({ name, type, meaning, unit }: Field): object {
  return {
    name,
    type,
    ...(type === 'datetime' ? { format: TIME_FORMAT } : {}),
    description: meaning,
    ...(unit === undefined ? {} : { unit, ucum: unit === 'm' ? 'm' : UCUM_CODES[unit] }),
  };
}
