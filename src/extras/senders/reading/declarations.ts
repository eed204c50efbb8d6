/**
 * Declarations of the operator or the sender about a source that cannot say it itself; none of
 * it is guessed.
 */
import { InputError } from '../../../base/inputError.ts';
import { PARAMETER_NAMES, type ParameterName, RAIN_TOTAL } from '../../../contract/parameters.ts';
import { type Declarations, pair } from '../../../ingest/reading/declarations.ts';
import { COMMAND_LINE, type Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { MOST_FIELDS } from '../../../ingest/rows/row.ts';
import type { Only } from '../formats/format.ts';
import { OTHER_NAMES, type OtherNames, type OwnName, ownName } from '../formats/ownNames.ts';
import { sourceIn } from '../formats/source.ts';
import { conversionFrom, unitsOf } from '../units.ts';

/** A field that is declared to be the sensor, the device, the time or a value. */
export type DeclaredColumn = { theirs: string } & (
  | { is: 'sensor' | 'device' | 'time' }
  | ({
      is: 'value';
      /** The text in the place of a unit in their name, which is not a unit of the parameter. */
      unknownUnit?: string | undefined;
      /** Their name is neither ours nor explained by the format. */
      isForeign?: boolean;
      /** The declaration says its unit: `pm25_ugm3=NAME`. */
      saysUnit?: true;
    } & Pick<OwnName, 'parameter' | 'unit' | 'isTotal'>)
);

const SLOTS: ReadonlyMap<string, 'sensor' | 'device' | 'time'> = new Map([
  ['sensor_id', 'sensor'],
  ['device', 'device'],
  ['time', 'time'],
  ['measured_at', 'time'],
]);

/**
 * Declared columns, and a source's columns for what is not declared beside it. Throws InputError for
 * a declaration that cannot be followed.
 */
export function declaredColumns(declared: Declarations): DeclaredColumn[] {
  const { columns = [], say = COMMAND_LINE } = declared;
  const beside = columnsOf(columns, say);
  const meaning = (one: DeclaredColumn) => (one.is === 'value' ? one.parameter : one.is);
  const known = new Set(beside.map(meaning));
  const ofSource = columnsOf(sourceIn(declared)?.options.columns ?? [], say);
  return [...beside, ...ofSource.filter((one) => !known.has(meaning(one)))];
}

function columnsOf(columns: readonly string[], say: Vocabulary): DeclaredColumn[] {
  if (columns.length > MOST_FIELDS)
    throw new InputError(
      say.option('column'),
      `it is given ${columns.length} times`,
      `Give it at most ${MOST_FIELDS} times.`,
    );
  return columns.map((text) => {
    const [ours, theirs] = readPair(text, say, 'column', 'NAME=COLUMN', 'pm25=pm2_5_concentration');
    const slot = SLOTS.get(ours);
    if (slot !== undefined) return { theirs, is: slot };
    const own = ownName(ours, PARTICLES);
    if (own === undefined)
      throw unknownName(text, SLOTS.has(theirs) || ownName(theirs), 'column', say);
    const { parameter, unit, isTotal } = own;
    const said = unit !== undefined && { saysUnit: true as const };
    return { theirs, is: 'value', parameter, unit, ...said, ...(isTotal && { isTotal }) };
  });
}

/** Throws InputError as declaredColumns does. */
export function declaredUnits(declared: Declarations): Map<ParameterName, string> {
  const { units = [], say = COMMAND_LINE } = declared;
  const ofSource = sourceIn(declared)?.options.units ?? [];
  return new Map(
    [...ofSource, ...units].map((text) => {
      const [name, unit] = readPair(text, say, 'unit', 'NAME=UNIT', 'no2=ug/m3');
      const known = PARTICLES[name] ?? name;
      const parameter = PARAMETER_NAMES.find((one) => one === known);
      if (parameter === undefined)
        throw unknownName(
          text,
          PARAMETER_NAMES.some((one) => one === unit),
          'unit',
          say,
        );
      if (conversionFrom(unit, parameter) !== undefined) return [parameter, unit];
      throw new InputError(
        say.option('unit'),
        `${parameter} has no unit "${unit}"`,
        `It has: ${unitsOf(parameter).join(', ')}.`,
      );
    }),
  );
}

/** Stands for all values, in `only`: the column is not a verdict. */
export const EVERY_VALUE = '*';

/** Throws InputError as declaredColumns does. */
export function declaredOnly(declared: Declarations): Only[] {
  const beside = onlyOf(declared);
  const isFree = (theirs: string) =>
    !beside.some((one) => one.theirs.toLowerCase() === theirs.toLowerCase());
  const ofSource = sourceIn(declared)?.options.only ?? [];
  return [
    ...beside,
    ...ofSource.flatMap(([theirs, values]) =>
      isFree(theirs) ? { theirs, values: new Set(values) } : [],
    ),
  ];
}

function onlyOf({ only = [], say = COMMAND_LINE }: Declarations): Only[] {
  if (only.length > MOST_FIELDS)
    throw new InputError(
      say.option('only'),
      `it is given ${only.length} times`,
      'Once a column is enough.',
    );
  return only.map((text) => {
    const equals = text.lastIndexOf('=');
    const [theirs, values] = pair(text, equals);
    if (equals > 0) return { theirs, values: new Set(values.split(',').map((one) => one.trim())) };
    throw new InputError(
      say.option('only'),
      `expected COLUMN=VALUE[,VALUE], found "${text}"`,
      `An example: ${say.option('only', 'Validity=1,2,3')}.`,
    );
  });
}

const NAMES = `Known names: sensor_id, device, time, ${[...PARAMETER_NAMES, RAIN_TOTAL.name].join(', ')}.`;

/** The API's names of particles, such as `pm2.5_raw`. */
const PARTICLES: OtherNames = Object.fromEntries(
  Object.entries(OTHER_NAMES).filter(([name]) => name.startsWith('pm')),
);

/** The error for a pair whose first part is not our name. `isTurned`: its second part is. */
function unknownName(
  text: string,
  isTurned: unknown,
  option: 'column' | 'unit',
  say: Vocabulary,
): InputError {
  const [first, second] = pair(text);
  const what = `unknown ${option === 'unit' ? 'parameter' : 'name'} "${first}"`;
  if (!isTurned) return new InputError(say.option(option), what, NAMES);
  const turned = say.option(option, `${second}=${first}`);
  return new InputError(
    say.option(option),
    `${what}, and "${second}" behind it is ours`,
    `Our name comes first: ${turned}.`,
  );
}

function readPair(
  text: string,
  say: Vocabulary,
  option: 'column' | 'unit',
  form: string,
  example: string,
): [ours: string, theirs: string] {
  const equals = text.indexOf('=');
  const [ours, theirs] = pair(text, equals);
  if (equals > 0 && equals < text.length - 1) return [ours.toLowerCase(), theirs];
  throw new InputError(
    say.option(option),
    `expected ${form}, found "${text}"`,
    `An example: ${say.option(option, example)}.`,
  );
}

/**
 * Whose a row is: what it says itself, else what is declared. Throws InputError where it says
 * another sensor or device than is declared, which would not be used then.
 */
export function ownerOf(
  declared: Declarations,
  sensor: unknown,
  device: unknown,
): { sensor: unknown; device: unknown } {
  const owner = declared.sensor ?? declared.device;
  if (owner === undefined) return { sensor, device };
  const isSaid = (own: unknown) => own !== undefined && own !== '';
  const isOther = isSaid(sensor)
    ? String(sensor) !== String(declared.sensor)
    : declared.sensor === undefined && isSaid(device) && String(device) !== declared.device;
  if (isOther) {
    const { say = COMMAND_LINE } = declared;
    const option = say.option(declared.sensor === undefined ? 'device' : 'sensor');
    const own = isSaid(sensor) ? `sensor ${String(sensor)}` : `device ${String(device)}`;
    throw new InputError(
      option,
      `${String(owner)} would not be used, because a row names ${own.slice(0, 100)} itself`,
      `Leave ${option} out; or, if that field means something else, add ${say.option('only', 'FIELD=*')}.`,
    );
  }
  return {
    sensor: isSaid(sensor) ? sensor : (declared.sensor ?? sensor),
    device: isSaid(device) ? device : (declared.device ?? device),
  };
}
