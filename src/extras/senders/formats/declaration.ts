/**
 * The schema of a declaration: how to read what somebody sends, as data. An entry of sources.json is
 * one, with the words of the command line and of addresses.
 */
import { z } from 'zod';
import { PARAMETER_NAMES } from '../../../contract/parameters.ts';

const name = z.string().min(1);

/** One name, or several: the first that a row has counts. */
const names = z.union([name, z.array(name).min(1)]);

const verdicts = (description: string) =>
  z.record(name, z.array(z.string()).min(1)).optional().describe(description);

/** A column with values, each of which another column may judge. */
const JudgedColumn = z.strictObject({
  column: names.describe('the column, or several: the first that a row has counts'),
  only: verdicts(
    'by column: the words beside a value with which it counts; another one leaves out the value alone',
  ),
  skip: verdicts('by column: the words beside a value that leave it out'),
});
export type JudgedColumn = z.output<typeof JudgedColumn>;

const Columns = z
  .record(name, z.union([names, JudgedColumn]))
  .describe(
    'by our name (sensor_id, device, time, or a parameter, perhaps with a unit as in no2_ppb), their column: a name, or a path of keys in JSON; several of a time are joined by plus signs. Where rows name their parameters, parameter, value and unit; interval: the minutes that end at the time',
  );

/** Other columns, and another place of the values, for rows that have certain names. */
const Case = z.strictObject({
  when: z.array(name).min(1).describe('names that a row must have'),
  columns: Columns.optional().describe(
    'columns that are added, or replace others of the same name',
  ),
  values: name.optional().describe('the path to the object with the values'),
});

export const Declaration = z.strictObject({
  columns: Columns.default({}),
  own_names: z
    .boolean()
    .default(false)
    .describe('true: our own names of parameters are read, too, as in pm25 or temp_f'),
  parameters: z
    .record(name, names)
    .default({})
    .describe(
      'by our parameter, perhaps with a unit: their names in rows of one parameter each; one that begins with * is the end of theirs, whatever blanks there are',
    ),
  units: z
    .partialRecord(z.enum(PARAMETER_NAMES), name)
    .default({})
    .describe('by parameter: the unit of its values, whatever a row says'),
  systems: z
    .strictObject({
      column: name,
      units: z.record(name, z.partialRecord(z.enum(PARAMETER_NAMES), name)),
    })
    .optional()
    .describe('a column that names a system of units, and by what it says the units of parameters'),
  zone: name
    .optional()
    .describe('the zone of times without an offset: UTC, an offset such as +01:00, or network'),
  shift: name.optional().describe('is added to every time, such as -1h'),
  date_format: name.optional().describe('the order of dates such as 05/06/2026: mm/dd/yyyy'),
  only: verdicts('by column: the values of rows that count; ["*"]: all do'),
  skip: verdicts('by column: the values of rows that are left out'),
  rows: name.optional().describe('in a JSON document, the path to the list of its rows'),
  prefix: name
    .optional()
    .describe("begins the names of the document's own fields in its rows, which may have the same"),
  labels: z
    .strictObject({ in: name, fields: z.array(name).min(1) })
    .optional()
    .describe('an object of the document that says what these fields are called'),
  values: name
    .optional()
    .describe('in each row, the path to the object with the values; without it, the row itself'),
  cases: z.array(Case).default([]).describe('the first whose names a row has counts'),
  header: z
    .array(name)
    .min(1)
    .optional()
    .describe('the names of the columns of a table that has no header'),
  delimiter: z
    .string()
    .length(1)
    .default(',')
    .describe('stands between the fields of such a table'),
  push: z.literal('get').optional().describe('get: it sends each reading as the query of a GET'),
});
export type Declaration = z.output<typeof Declaration>;

/** A declaration of the network file. What options say too is followed as there (foreignFormats.ts). */
export const SourceWords = Declaration.extend({
  format: name
    .optional()
    .describe('the format whose columns it adds to; absent: airseries, our own names'),
  // as --unit takes them, pm2.5 among them
  units: z
    .record(name, name)
    .default({})
    .describe('by parameter: the unit of its values, whatever a row says'),
  zone: name
    .optional()
    .describe(
      'the zone of times without an offset: an IANA name, UTC, or an offset such as +01:00',
    ),
  round: name.optional().describe('minute, where times are a second short of a full minute'),
  device: name.optional().describe('the device of all readings that name none'),
});
export type SourceWords = z.output<typeof SourceWords>;

/** Why a row is not a reading. */
const Refusal = z.strictObject({
  where: verdicts('by field: a row with one of these values is refused'),
  without: z.array(name).optional().describe('a row that has none of these fields is refused'),
  why: name,
});

/** A sender that is known: its declaration, how it is recognized, and what is said about it. */
export const Entry = Declaration.extend({
  about: name.describe('what it is, in the table of sources'),
  page: z.array(z.url()).min(1).describe('where its publisher describes it'),
  note: z.string().optional().describe('what is not read, and why'),
  recognize: z
    .array(z.array(name).min(1))
    .default([])
    .describe('rows with all names of a list are recognized; without a list it must be named'),
  needs: name.describe('one sentence for messages: what its rows have'),
  owner: name
    .optional()
    .describe('for messages, where a row says whose it is; absent: its column of it'),
  any_of: z
    .array(name)
    .min(1)
    .optional()
    .describe('a row without any of these fields is not a reading, and is passed over'),
  mixed: z
    .boolean()
    .default(false)
    .describe('true: a row without a known parameter is not a reading, and is passed over'),
  refuse: z.array(Refusal).default([]),
  names_end: z
    .boolean()
    .default(false)
    .describe('true: its stamps name the end of an interval, whose length must be known'),
  reduced: z
    .array(name)
    .optional()
    .describe('fields with pressure reduced to sea level whose names do not say so'),
  corrected: name
    .optional()
    .describe('where this has a value, its sender has corrected PM2.5 and humidity'),
  unused: z
    .array(name)
    .default([])
    .describe(
      'fields that need not be reported as unused; one that begins with * is the end of theirs',
    ),
  secret: z.array(name).optional().describe('fields of a form that are dropped, as passwords are'),
  appends: z
    .array(name)
    .optional()
    .describe('parameters that the sender adds to its address, and that mean nothing'),
});
export type Entry = z.output<typeof Entry>;
