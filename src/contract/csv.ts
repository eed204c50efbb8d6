/**
 * The columns of hours as CSV, the same for people in Excel, and the document that describes the
 * columns: CSVW metadata (W3C). That format defines how a program finds the description of a CSV
 * file: by its `describedby` link, or at its address with `-metadata.json` added. R's csvwr follows
 * both.
 */
import { z } from 'zod';
import type { Locale } from './endpoints.ts';
import { field } from './fields.ts';
import { regionHour, stationHour } from './history.ts';
import { keyOf, UCUM_CODES } from './parameters.ts';
import { headOf, spreadsheet, spreadsheetTime } from './words/spreadsheet.ts';
import { roundedHpa, unitIn } from './words/units.ts';
import { COMMON_WORDS } from './words/words.ts';

const UCUM = 'http://qudt.org/schema/qudt/ucumCode';

/** The ending of the address of a file's description. */
export const METADATA_SUFFIX = '-metadata.json';

const column = z
  .strictObject({
    name: field(z.string(), 'name of the column'),
    titles: field(z.string(), 'its title in the first line of the file'),
    datatype: field(z.enum(['integer', 'number', 'string', 'dateTime']), 'type of its values'),
    'dc:description': field(z.string(), 'meaning of its values'),
    'schema:unitText': field(z.string().nullable(), 'their unit; null if they have none'),
    [UCUM]: field(z.string().nullable(), 'the same as a UCUM code'),
  })
  .meta({ id: 'CsvColumn', description: 'a column of a CSV file' });
type Column = z.infer<typeof column>;

export const csvMetadata = z
  .strictObject({
    '@context': field(z.literal('http://www.w3.org/ns/csvw'), 'vocabulary of this document'),
    url: field(z.string(), 'the file that it describes'),
    'dc:description': field(z.string(), 'what a line of the file is'),
    'schema:scheduleTimezone': field(z.string(), 'IANA time zone of the timestamps'),
    tableSchema: field(
      z
        .strictObject({
          columns: field(z.array(column), 'columns in their order'),
          primaryKey: field(z.literal('timestamp'), 'column that tells lines apart'),
        })
        .meta({ id: 'CsvSchema', description: 'the columns of a CSV file' }),
      'the columns',
    ),
  })
  .meta({ id: 'CsvMetadata', description: 'CSVW metadata of a file of hours' });

/** Every other column has numbers with decimals. */
const TYPES: Readonly<Record<string, Column['datatype']>> = {
  timestamp: 'dateTime',
  station_count: 'integer',
  aqi: 'integer',
};

const COLUMNS = {
  station: columnsOf(
    { name: 'station_id', datatype: 'integer', meaning: 'station id' },
    stationHour,
  ),
  region: columnsOf(
    { name: 'city_slug', datatype: 'string', meaning: 'slug of the city or district' },
    regionHour,
  ),
};

/** The header of hours as CSV: the names of the current values. The lines are written in SQL. */
export const CSV_HEADERS = {
  station: COLUMNS.station.map(({ titles }) => titles).join(),
  region: COLUMNS.region.map(({ titles }) => titles).join(),
};

/**
 * Hours for people: a file of hours in the form of `spreadsheet`, its columns in words with units,
 * local times, and pressure in hPa. The first column is left out, which is the same in every line.
 */
export function excelOf(subject: keyof typeof COLUMNS, lines: string, form: ExcelForm): string {
  const columns = COLUMNS[subject].slice(1);
  const rows = lines.split('\n').slice(0, -1);
  const heads = columns.map((column) => headIn(form, column));
  const pressure = columns.findIndex(({ name }) => name === 'pressure');
  return spreadsheet(
    form.locale,
    heads,
    rows.map((line) => {
      const [time = '', ...values] = line.split(',').slice(1);
      const cells = [spreadsheetTime(time), ...values];
      const pascals = cells[pressure];
      if (pascals) cells[pressure] = roundedHpa(Number(pascals)).toFixed(1);
      return cells;
    }),
  );
}

/** `zone`: of the network, whose time it is. */
type ExcelForm = { locale: Locale; zone: string };

function headIn({ locale, zone }: ExcelForm, { name, 'schema:unitText': unit }: Column): string {
  const words = COMMON_WORDS[locale].columns;
  if (name === 'timestamp') return headOf(words.time, zone);
  return headOf(words[name as keyof typeof words], unit === null ? '' : unitIn(locale, unit));
}

/** The description of a file of this name, of hours of a network in this zone. */
export const describeCsv = (
  subject: keyof typeof COLUMNS,
  file: string,
  zone: string,
): z.infer<typeof csvMetadata> => ({
  '@context': 'http://www.w3.org/ns/csvw',
  url: file,
  'dc:description': `Each line is an hour of a ${subject}, and its timestamp is the start of the hour. Timestamps are local, with their offset. An hour without readings has no line, and an unknown value is empty.`,
  'schema:scheduleTimezone': zone,
  tableSchema: { columns: COLUMNS[subject], primaryKey: 'timestamp' },
});

type Id = { name: string; datatype: Column['datatype']; meaning: string };

function columnsOf({ name, datatype, meaning }: Id, { shape }: z.ZodObject): Column[] {
  const id = { name, titles: name, datatype, 'dc:description': meaning, ...unitOf(undefined) };
  return [id, ...Object.entries(shape).map(([key, schema]) => columnOf(key, schema as z.ZodType))];
}

function columnOf(key: string, schema: z.ZodType): Column {
  const name = keyOf(key.replace(/^(avg|total)_/, ''));
  const { description = '', 'x-unit': code } = schema.meta() ?? {};
  const unit = unitOf(code);
  return {
    name,
    titles: name,
    datatype: TYPES[name] ?? 'number',
    'dc:description': description.replace(` [${unit['schema:unitText']}]`, ''),
    ...unit,
  };
}

/** The unit of a UCUM code. */
function unitOf(code: unknown) {
  const [name = null, ucum = null] =
    Object.entries(UCUM_CODES).find(([, known]) => known === code) ?? [];
  return { 'schema:unitText': name, [UCUM]: ucum } as const;
}
