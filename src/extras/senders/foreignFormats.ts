/** All forms that are read where this extra is listed, our own among them. */
import { z } from 'zod';
import { InputError } from '../../base/inputError.ts';
import type {
  DeclaringOption,
  QueryPushes,
  ReadingFormats,
  SourceForms,
} from '../../ingest/formats.ts';
import { SOURCE } from '../../ingest/reading/vocabulary.ts';
import { makeObjectReader } from '../../ingest/rows/row.ts';
import { airrohrPushes } from './formats/airrohrPush.ts';
import { SourceWords } from './formats/declaration.ts';
import { FORMAT_NAMES, FORMATS } from './formats/formats.ts';
import { declaredBy, InvalidSource } from './formats/source.ts';
import { checkDeclarations, readLine, readReadings } from './reading/collect.ts';
import { dateFormatIn, findDateFormat } from './reading/dateFormat.ts';
import { asTheyAre, declareUnit, otherUnitHint } from './reading/otherUnits.ts';
import { timeHint } from './reading/timeHint.ts';
import { DATE_FORMATS, SHORT_DATE_FORMATS } from './reading/times.ts';

const OPTIONS: readonly DeclaringOption[] = [
  {
    flags: '--format <format>',
    description: 'layout of the files; by default it is recognized',
    choices: FORMAT_NAMES,
  },
  {
    flags: '--unit <ours=unit>',
    description: 'unit of a parameter, as in no2=ug/m3; can be repeated',
    is: 'list',
  },
  {
    flags: '--column <ours=theirs>',
    description: 'what a column means, as in pm25=pm2_5_mean; can be repeated',
    is: 'list',
  },
  {
    flags: '--zone <zone>',
    description:
      'time zone of times without an offset, such as Europe/Berlin, or +01:00 for winter time all year',
  },
  {
    flags: '--date-format <format>',
    description: 'order of dates such as 05/06/2026, where no day is above 12',
    choices: [...DATE_FORMATS, ...SHORT_DATE_FORMATS],
  },
  {
    flags: '--shift <time>',
    description:
      'is added to every time: -1h where stamps name the end of an hour, 0min where they are right',
  },
  {
    flags: '--round <unit>',
    description: 'round every time: minute, where a spreadsheet made it a second too early',
  },
  {
    flags: '--only <column=values>',
    description:
      'leave out rows in which a column has another value, as in Validity=1,2,3; can be repeated',
    is: 'list',
  },
  {
    flags: '--source <name>',
    description: 'a source of the network file; what is declared beside it takes precedence',
  },
  { flags: '--sensor <id>', description: 'the sensor of all readings that name none', is: 'id' },
  { flags: '--device <name>', description: 'the device of all readings that name none' },
];

const BY_QUERY = FORMATS.filter(({ push }) => push === 'get');

const queryPushes: QueryPushes = {
  names: BY_QUERY.map(({ name }) => name),
  formatOf(fields) {
    const row = makeObjectReader()(fields, '', 1);
    return 'unreadable' in row ? undefined : BY_QUERY.find((one) => one.recognizes(row))?.name;
  },
};

/** The words of a declaration in the network file. */
const sourceSchema = SourceWords.extend({
  format: z
    .enum(FORMAT_NAMES)
    .optional()
    .describe(SourceWords.shape.format.description ?? ''),
}).superRefine((source, context) => {
  const issue = (message: string, path: readonly string[] = []) =>
    context.addIssue({ code: 'custom', message, path: [...path] });
  // pushes do not know the zone of the network, which has a name to write
  if (source.zone === 'network')
    issue('expected a zone such as Europe/Berlin or +01:00, found "network"', ['zone']);
  try {
    checkDeclarations({ ...declaredBy(source, {}), say: SOURCE });
  } catch (error) {
    if (error instanceof InvalidSource) issue(error.problem, error.key);
    else if (error instanceof InputError) issue(error.message);
    else throw error;
  }
});

const sources: SourceForms = {
  schema: sourceSchema,
  declaredBy,
  isQueryPush(declaration) {
    const { push, format } = declaration as Partial<SourceWords>;
    return push === 'get' || BY_QUERY.some(({ name }) => name === format);
  },
};

export const foreignFormats: ReadingFormats = {
  names: FORMAT_NAMES,
  readReadings,
  readLine,
  checkDeclarations,
  dateFormatIn,
  dateFormatOf: findDateFormat,
  sources,
  options: OPTIONS,
  addressParameters: [
    'unit',
    'column',
    'only',
    'zone',
    'shift',
    'round',
    'date_format',
    'sensor_id',
    'device',
  ],
  ownParameters: (format) => FORMATS.find(({ name }) => name === format)?.appends ?? [],
  queryPushes,
  secretFields: FORMATS.flatMap(({ secret = [] }) => secret),
  // AirGradient's firmware
  appended: '(?:/sensors/airgradient:[^/]+/measures)?/?',
  deviceIn,
  devicePushes: airrohrPushes,
  timeHint,
  unitHint: otherUnitHint,
  declareUnit,
  ownUnit: asTheyAre,
};

/** AirGradient's firmware has it in the path that it appends to the address of its server. */
function deviceIn(path: string): string | undefined {
  const [, rest] = path.split('/sensors/airgradient:');
  return rest?.split('/', 1)[0];
}
