/** Looks up what the fields of a source mean, by its profile and by the operator's declarations. */

import { InputError } from '../../base/inputError.ts';
import { PARAMETER_NAMES, type ParameterName } from '../../contract/parameters.ts';
import { FORMATS, OWN_FORMAT, PROFILES, type Profile } from './profiles.ts';
import { type Convert, conversionFrom, unitsOf } from './units.ts';

/** The declarations of the operator or the sender about a source; none of them is guessed. */
export type Format = {
  /** A profile; absent: it is recognized. */
  name?: string | undefined;
  /** That of the network, for profiles whose times are local to it. */
  timeZone?: string | undefined;
  /** That of times without an offset, whatever the profile says. */
  zone?: string | undefined;
  /** One of DATE_FORMATS: the order of dates such as 05/06/2026. */
  dateFormat?: string | undefined;
  /** `no2=ug/m3`: the unit of a parameter, whatever the profile says. */
  units?: readonly string[] | undefined;
  /** `pm25=pm2_5_concentration`: our name for a field (sensor_id, device, time, or a parameter), and theirs. */
  columns?: readonly string[] | undefined;
  /** The sensor or the device that all readings are of, where they do not say. */
  sensor?: unknown;
  device?: string | undefined;
  /** The time of readings without one; absent: they are rejected. */
  now?: Date | undefined;
};

export type Measures = {
  slot: 'value';
  parameter: ParameterName;
  /** Null: its values are in the stored unit. */
  convert: Convert | null;
  /** False: its unit is assumed to be the stored one. */
  isDeclared: boolean;
  /** The lowest counts where several fields have the same meaning. */
  rank: number;
  /** The mean of those of this rank counts. */
  isMean?: boolean;
};
export type Meaning = Measures | { slot: 'sensor' | 'device' | 'time' | 'start'; rank: number };

/** Knows what the fields of one source mean. */
export type Fields = {
  profile: Profile;
  /** Undefined for a field that is not used. */
  meaningOf(field: string): Meaning | undefined;
  /** Our parameter for a name in a row of one parameter. `unit` undefined: no unit is given there. */
  measuresOf(name: string, unit: string | undefined): Measures | undefined;
};

/** Fields of a row, and columns that are declared: each costs time in every row. */
export const MOST_COLUMNS = 200;

const SLOTS: ReadonlyMap<string, 'sensor' | 'device' | 'time'> = new Map([
  ['sensor_id', 'sensor'],
  ['device', 'device'],
  ['time', 'time'],
  ['measured_at', 'time'],
]);

/** The conversion from a unit that the parameter does not have: it makes a text of value and unit, which is rejected. */
const withUnit =
  (unit: string): Convert =>
  (given) =>
    typeof given === 'object' ? given : `${String(given)} ${unit}`.slice(0, 100);

/** Throws InputError for a declaration that cannot be followed. */
export function readFields(profile: Profile, { columns = [], units = [] }: Format): Fields {
  if (columns.length > MOST_COLUMNS)
    throw new InputError(
      '--column',
      `it is given ${columns.length} times`,
      `Give it at most ${MOST_COLUMNS} times.`,
    );
  const declared = new Map(units.map(readUnit));
  const measures = (name: string, unit: string | undefined, rank: number): Measures | undefined => {
    const parameter = PARAMETER_NAMES.find((one) => one === name);
    if (parameter === undefined) return undefined;
    const said = declared.get(parameter) ?? unit;
    const convert = said === undefined ? null : conversionFrom(said, parameter);
    return convert === undefined
      ? undefined
      : { slot: 'value', parameter, convert, isDeclared: said !== undefined, rank };
  };
  const known = new Map<string, Meaning>();
  const add = (field: string, meaning: Meaning | undefined) => {
    const key = field.toLowerCase();
    if (meaning !== undefined && !known.has(key)) known.set(key, meaning);
  };
  const channels: [field: string, meaning: Measures][] = [];
  for (const [index, [ours, theirs]] of columns.map(readColumn).entries()) {
    const slot = SLOTS.get(ours);
    const meaning: Meaning | undefined =
      slot === undefined
        ? withUnitOfTheirs(ownName(ours, measures, index - MOST_COLUMNS), theirs, profile, measures)
        : { slot, rank: -1 };
    if (meaning === undefined) throw new InputError('--column', `unknown name "${ours}"`, NAMES);
    const [, ...others] = channelsOf(theirs, profile);
    if (meaning.slot === 'value' && others.length > 0) meaning.isMean = true;
    if (meaning.slot === 'value') for (const other of others) channels.push([other, meaning]);
    add(theirs, meaning);
    if (profile.ours) add(`${profile.ours}.${theirs}`, meaning);
  }
  for (const [other, meaning] of channels) add(other, meaning);
  for (const slot of ['sensor', 'device', 'time'] as const)
    profile[slot]?.forEach((field, rank) => {
      add(field, { slot, rank });
    });
  if (profile.start !== undefined) add(profile.start, { slot: 'start', rank: 0 });
  const below = profile.ours ? `${profile.ours}.`.toLowerCase() : '';
  Object.entries(profile.values).forEach(([field, text], index) => {
    const [name = '', unit] = text.split(' ');
    const measured = measures(name, unit, index + 1);
    const channels = field.split(' + ');
    for (const channel of channels)
      add(below + channel, measured && { ...measured, isMean: channels.length > 1 });
  });
  const meaningOf = (field: string): Meaning | undefined => {
    const key = field.toLowerCase();
    const found = known.get(key);
    if (found !== undefined || profile.ours === undefined || !key.startsWith(below)) return found;
    const rest = key.slice(below.length);
    return (
      ownName(rest, measures, 0) ?? withSaidUnit(rest, (name) => known.get(below + name), measures)
    );
  };
  return {
    profile,
    meaningOf,
    measuresOf(name, unit) {
      const meaning = meaningOf(name);
      if (meaning?.slot !== 'value' || unit === undefined || declared.has(meaning.parameter)) {
        return meaning?.slot === 'value' ? meaning : undefined;
      }
      return (
        measures(meaning.parameter, unit, 0) ?? {
          ...meaning,
          convert: withUnit(unit),
          isDeclared: true,
        }
      );
    },
  };
}

/**
 * Whose a row is: what it says itself, else what is declared. Throws InputError where it says another sensor or device than is declared, which
 * would not be used then.
 */
export function ownerOf(
  format: Format,
  sensor: unknown,
  device: unknown,
): { sensor: unknown; device: unknown } {
  const [option, declared] =
    format.sensor === undefined ? ['--device', format.device] : ['--sensor', format.sensor];
  if (declared === undefined) return { sensor, device };
  const isSaid = (own: unknown) => own !== undefined && own !== '';
  const isOther = isSaid(sensor)
    ? String(sensor) !== String(format.sensor)
    : format.sensor === undefined && isSaid(device) && String(device) !== format.device;
  if (isOther) {
    const own = isSaid(sensor) ? `sensor ${String(sensor)}` : `device ${String(device)}`;
    throw new InputError(
      option,
      `${String(declared)} would not be used, because a row says itself that it is of ${own.slice(0, 100)}`,
      `Leave ${option} out, or the field of the file that says it.`,
    );
  }
  return {
    sensor: isSaid(sensor) ? sensor : (format.sensor ?? sensor),
    device: isSaid(device) ? device : (format.device ?? device),
  };
}

type MakeMeasures = (name: string, unit: string | undefined, rank: number) => Measures | undefined;

/** One of our names, perhaps with its unit: `no2_ugm3`, `pressure [hPa]`. */
function ownName(name: string, measures: MakeMeasures, rank: number): Measures | undefined {
  const key = name.toLowerCase();
  return (
    measures(key, undefined, rank) ??
    withSaidUnit(key, (base) => measures(base, undefined, rank), measures)
  );
}

/** A name that `find` knows, with its unit after an underscore or in brackets. */
function withSaidUnit(
  key: string,
  find: (base: string) => Meaning | undefined,
  measures: MakeMeasures,
): Measures | undefined {
  const last = key.at(-1);
  const ends = last === ')' || last === ']' ? [key.search(/[([]/)] : underscoresOf(key);
  for (const end of ends) {
    const found = end > 0 ? find(key.slice(0, end).trim()) : undefined;
    if (found?.slot !== 'value') continue;
    const unit = key.slice(end + 1, last === ')' || last === ']' ? -1 : undefined);
    const meaning = measures(found.parameter, unit, found.rank);
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}

/** The unit of a column that is mapped is said by its profile or in its name, as in `--column no2=NO2_mean (µg/m³)`, unless the operator says it. */
function withUnitOfTheirs(
  meaning: Measures | undefined,
  theirs: string,
  { values }: Profile,
  measures: MakeMeasures,
): Measures | undefined {
  if (meaning === undefined || meaning.isDeclared) return meaning;
  const key = theirs.toLowerCase();
  const units = [
    ...Object.entries(values).flatMap(([field, text]) =>
      field.toLowerCase() === key ? text.split(' ').slice(1) : [],
    ),
    ...[...key.matchAll(IN_BRACKETS)].map(([, unit]) => unit),
    ...underscoresOf(key).map((at) => key.slice(at + 1)),
  ];
  return (
    units.map((unit) => measures(meaning.parameter, unit, meaning.rank)).find((found) => found) ??
    meaning
  );
}

/** The field, and the other channels of it that the profile knows. */
const channelsOf = (field: string, { values, channels = [] }: Profile): string[] =>
  [...Object.keys(values), ...channels]
    .map((channel) => channel.toLowerCase().split(' + '))
    .find(([first]) => first === field.toLowerCase()) ?? [field];

const IN_BRACKETS = /[([]([^()[\]]{0,30})[)\]]/g;

/** A name that is longer has no unit at its end. */
const LONGEST_NAME = 60;

const underscoresOf = (key: string): number[] =>
  key.length > LONGEST_NAME
    ? []
    : [...key].flatMap((character, index) => (character === '_' ? index : []));

const NAMES = `Known names: sensor_id, device, time, ${PARAMETER_NAMES.join(', ')}.`;

const readColumn = (text: string) => readPair(text, '--column', 'pm25=pm2_5_concentration');

/** Their names of the columns that were declared. Throws InputError as readFields does. */
export const declaredColumns = ({ columns = [] }: Format): string[] =>
  columns.map((text) => readColumn(text)[1]);

function readPair(text: string, option: string, example: string): [ours: string, theirs: string] {
  const equals = text.indexOf('=');
  if (equals > 0 && equals < text.length - 1) {
    return [text.slice(0, equals).trim().toLowerCase(), text.slice(equals + 1).trim()];
  }
  throw new InputError(
    option,
    `"${text}" is not of the form OURS=THEIRS`,
    `An example: ${option} ${example}.`,
  );
}

function readUnit(text: string): [ParameterName, string] {
  const [name, unit] = readPair(text, '--unit', 'no2=ug/m3');
  const parameter = PARAMETER_NAMES.find((one) => one === name);
  if (parameter === undefined)
    throw new InputError('--unit', `there is no parameter "${name}"`, NAMES);
  if (conversionFrom(unit, parameter) !== undefined) return [parameter, unit];
  throw new InputError(
    '--unit',
    `${parameter} has no unit "${unit}"`,
    `It has: ${unitsOf(parameter).join(', ')}.`,
  );
}

/**
 * The profile of this name, or the one that a source is recognized by; of a name with several layouts, the one that fits or else the last.
 * Throws InputError for an unknown name.
 */
export function chooseProfile(name: string | undefined, has: (field: string) => boolean): Profile {
  const candidates = PROFILES.filter((profile) => name === undefined || profile.name === name);
  const fitting = candidates.find(({ recognized }) =>
    recognized.some((fields) => fields.every(has)),
  );
  const chosen = fitting ?? candidates.at(-1);
  if (chosen !== undefined) return chosen;
  throw new InputError(
    '--format',
    `there is no format "${name}"`,
    `There are: ${FORMATS.join(', ')}.`,
  );
}

export const isOwn = ({ name }: Profile): boolean => name === OWN_FORMAT;
