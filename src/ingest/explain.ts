/**
 * Explains to the sender why a reading, a value or a device's reading cannot be used, and what to
 * write instead.
 */
import {
  type Parameter,
  type ParameterName,
  READING_COLUMNS_BY_NAME,
  type ReadingColumn,
  type Unit,
} from '../contract/parameters.ts';
import type { Explaining } from './formats.ts';
import { readNumber, writeInstead } from './numbers.ts';
import type { Doubt } from './reading/doubt.ts';
import type { Findings } from './reading/facts.ts';
import type { ReadingInput } from './reading/reading.ts';
import { COMMAND_LINE, type Vocabulary } from './reading/vocabulary.ts';
import { explainEncoding } from './rows/encoding.ts';
import { READING_REASONS, VALUE_REASONS, type ValueReason } from './store/validate.ts';

/** A value that was left out of a reading, as answers show it. */
type DroppedValue = {
  parameter: ReadingColumn;
  reason: keyof typeof VALUE_REASONS;
  /** Both inclusive, of a value outside of them. */
  bounds?: [low: number, high: number];
  unit?: Unit;
  /** A guess at the cause, where there is one. */
  hint?: string;
};

/** 360 degrees are taken for 0. */
const boundsOf = ({ low, high, kind }: Parameter): [number, number] => [
  low,
  kind === 'vector' ? 360 : high,
];

/** `given` is the value as it came, where it is known. */
export function droppedValue(
  valueReason: ValueReason,
  given: unknown,
  formats: Explaining,
): DroppedValue {
  const [reason, name] = valueReason.split(':') as [keyof typeof VALUE_REASONS, ReadingColumn];
  const parameter = READING_COLUMNS_BY_NAME.get(name);
  const hint = parameter === undefined ? undefined : hintFor(parameter, reason, given, formats);
  return {
    parameter: name,
    reason,
    ...(parameter !== undefined &&
      reason === 'out_of_bounds' && { bounds: boundsOf(parameter), unit: parameter.unit }),
    ...(hint !== undefined && { hint }),
  };
}

function hintFor(
  { name }: Parameter,
  reason: string,
  given: unknown,
  formats: Explaining,
): string | undefined {
  if (reason === 'nothing_measured') return undefined; // 85 °C are not meant as °F
  const text = typeof given === 'string' ? given.trim() : String(given);
  if (reason === 'unreadable') return writeInstead(text);
  const value = readNumber(text) ?? Number.NaN;
  const other = formats.unitHint(name as ParameterName, value);
  return other && `${text} ${other}`;
}

/** A sentence on why a value was left out. */
export function explainValue(valueReason: string, given: unknown, formats: Explaining): string {
  const dropped = droppedValue(valueReason as ValueReason, given, formats);
  const { parameter, reason, bounds, unit, hint } = dropped;
  const what =
    bounds === undefined
      ? `${parameter}: ${VALUE_REASONS[reason]}`
      : `${parameter} must be ${bounds[0]} to ${bounds[1]} ${unit}${parameter === 'pressure' && given === undefined ? ' (1 hPa is 100 Pa)' : ''}`;
  return hint === undefined ? what : `${what}; ${hint}`;
}

type Given = Partial<Pick<ReadingInput, 'sensorId' | 'device' | 'measuredAt' | 'why'>>;

/**
 * A sentence on why a reading cannot be used; undefined for a reason that this version does not
 * have. `networkZone` is offered for times without an offset.
 */
export function explainReading(
  reason: string,
  given: Given,
  formats: Explaining,
  say: Vocabulary = COMMAND_LINE,
  networkZone?: string,
): string | undefined {
  const { sensorId, device, measuredAt, why } = given;
  const sentence: string | undefined = (READING_REASONS as Readonly<Record<string, string>>)[
    reason
  ];
  if (reason === 'unreadable_line') return why ?? sentence;
  if (reason === 'unreadable_time')
    return 'measuredAt' in given
      ? `${sentence}${timeHint(measuredAt, say, networkZone, formats)}`
      : sentence;
  if (reason !== 'unknown_sensor') return sentence;
  if (device !== undefined && !sensorId) return explainDevice(device, []);
  if (sensorId == null || sensorId === '')
    return `sensor_id is missing: add it, or ${say.option('device')} or ${say.option('sensor')}`;
  return /^[1-9]\d{0,9}$/.test(String(sensorId))
    ? `there is no sensor ${sensorId} in the network: add {"id": ${sensorId}} to the sensors of its station, import the network, then run quarantine retry`
    : `${JSON.stringify(sensorId).slice(0, 60)} is not a sensor_id: that is the whole number which the network file gives the sensor as id`;
}

function timeHint(
  given: unknown,
  say: Vocabulary,
  networkZone: string | undefined,
  formats: Explaining,
): string {
  if (given === undefined || given === null || given === '') return '; there is none';
  return formats.timeHint(String(given).slice(0, 60), say, networkZone);
}

const RETRY = 'import the network, then run quarantine retry';

/**
 * Why a reading that names its device belongs to no sensor; `sensors` are those that the network
 * has for it.
 */
export function explainDevice(device: string, sensors: readonly number[]): string {
  return sensors.length > 1
    ? `sensors ${sensors.join(' and ')} both have device ${device}, and not one of them alone stood at a station then: leave "device" at one of them, or say in "stations" when each stood there, ${RETRY}`
    : `no sensor, or more than one, has device ${device}: write "device": ${JSON.stringify(device)} into the sensor in the network file, ${RETRY}`;
}

/**
 * Says what was stored and is perhaps not meant so. `corrections`: as lookedAt has them. `gap`: the
 * sentence of describeGap.
 */
export const hintsOf = (
  { facts: { notUtf8 } }: Findings,
  doubts: readonly Doubt[] = [],
  corrections?: string,
  gap?: string,
): string[] => [
  ...doubts.map(({ what, remedy }) => `${what}. ${remedy}`),
  ...[
    corrections,
    notUtf8 && `row ${notUtf8.line || 1} was refused: ${explainEncoding(notUtf8.encoding)}`,
    gap,
  ].filter((hint) => hint !== undefined),
];
