/**
 * Explains to the sender why a reading, a value or a device's body cannot be used, and what to
 * write instead.
 */
import {
  type Parameter,
  type ParameterName,
  READING_COLUMNS_BY_NAME,
  type ReadingColumn,
  type Unit,
} from '../contract/parameters.ts';
import { fittingSensors, meaningOf, type PushRecord, type PushSensor } from './formats/airrohr.ts';
import { readNumber, writeInstead } from './numbers.ts';
import type { Doubt } from './reading/doubt.ts';
import type { Findings } from './reading/doubts.ts';
import { readInstant } from './reading/instants.ts';
import { otherUnitHint } from './reading/otherUnits.ts';
import type { ReadingInput } from './reading/reading.ts';
import { DATE_FORMATS, slashedDate } from './reading/times.ts';
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
export function droppedValue(valueReason: ValueReason, given?: unknown): DroppedValue {
  const [reason, name] = valueReason.split(':') as [keyof typeof VALUE_REASONS, ReadingColumn];
  const parameter = READING_COLUMNS_BY_NAME.get(name);
  const hint = parameter === undefined ? undefined : hintFor(parameter, reason, given);
  return {
    parameter: name,
    reason,
    ...(parameter !== undefined &&
      reason === 'out_of_bounds' && { bounds: boundsOf(parameter), unit: parameter.unit }),
    ...(hint !== undefined && { hint }),
  };
}

function hintFor({ name }: Parameter, reason: string, given: unknown): string | undefined {
  if (reason === 'nothing_measured') return undefined; // 85 °C are no °F
  const text = typeof given === 'string' ? given.trim() : String(given);
  if (reason === 'unreadable') return writeInstead(text);
  const value = readNumber(text) ?? Number.NaN;
  const other = otherUnitHint(name as ParameterName, value);
  return other && `${text} ${other}`;
}

/** A sentence on why a value was left out. */
export function explainValue(valueReason: string, given?: unknown): string {
  const { parameter, reason, bounds, unit, hint } = droppedValue(valueReason as ValueReason, given);
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
      ? `${sentence}${timeHint(measuredAt, say, networkZone)}`
      : sentence;
  if (reason !== 'unknown_sensor') return sentence;
  if (device !== undefined && !sensorId) return explainDevice(device, []);
  if (sensorId == null || sensorId === '')
    return `sensor_id is missing: add it, or ${say.option('device')} or ${say.option('sensor')}`;
  return /^[1-9]\d{0,9}$/.test(String(sensorId))
    ? `there is no sensor ${sensorId} in the network: add {"id": ${sensorId}} to the sensors of its station, import the network, then run quarantine retry`
    : `${JSON.stringify(sensorId).slice(0, 60)} is not a sensor_id: that is the whole number which the network file gives the sensor as id`;
}

function timeHint(given: unknown, say: Vocabulary, networkZone: string | undefined): string {
  if (given === undefined || given === null || given === '') return '; there is none';
  const text = String(given).slice(0, 60);
  const date = slashedDate(text);
  if (date !== undefined && Math.max(date.first, date.second) > 12) {
    const [first, order] = date.first > 12 ? ['day', 'dd/mm/yyyy'] : ['month', 'mm/dd/yyyy'];
    return `; ${text} begins with the ${first}: ${say.option('date-format', order)} if all of its source do, else write them alike`;
  }
  if (date !== undefined)
    return `; ${text} may begin with the day or the month: ${say.option('date-format')} says which, as ${DATE_FORMATS.join(' or ')}`;
  if (/^\d\d?([./-])\d\d?\1\d\d(?!\d)/.test(text))
    return `; ${text} has a year of two digits: write all four`;
  if (/^\d{4}-?W\d\d/.test(text)) return `; ${text} is a week date: write the date of the day`;
  if (/^\d{4}-\d{3}$/.test(text))
    return `; ${text} is a day of the year: write the date of the day`;
  if (/^\d{5}(?:[.,]\d+)?$/.test(text))
    return `; ${text} looks like a day of Excel's calendar: format its cells as yyyy-mm-dd hh:mm, and save again`;
  if (/^\d{1,4} \d{1,4} \d{1,4}(?: |$)/.test(text))
    return `; ${text} is joined of columns in another order than ${say.option('column', 'time=Year+Month+Day+Hour+Minute')}`;
  if (/[T ]24:/.test(text))
    return `; of the times from 24:00 on there is only 24:00, the next midnight`;
  if (!readInstant(text)?.local) return '';
  const zones = [...new Set([networkZone ?? 'UTC', 'UTC'])].map((zone) => say.option('zone', zone));
  const offered = networkZone === undefined ? '' : `: ${zones.join(' as in this network, or ')}`;
  return `; ${text} has no offset, or is in an hour that the clocks skipped or went through twice; ${say.option('zone')} says which zone's clock it is${offered}`;
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
 * Why values that a device sent belong to no sensor: which device it is, which of its instruments,
 * and what the network file lacks. `sensors` are those that the network has for the device.
 */
export function explainPush(
  { device, pin, values, measuredAt }: PushRecord,
  sensors: readonly PushSensor[],
): string {
  const meanings = values.flatMap(({ value_type }) => meaningOf(value_type, pin) ?? []);
  const instruments = new Map(meanings.map(({ instrument, kinds }) => [instrument, kinds]));
  const entry = (instrument: string) => `{"id": …, "kind": "${instrument}", "device": "${device}"}`;
  if (sensors.length === 0) {
    const names = [...instruments.keys()];
    return `device ${device} sent values of ${names.join(', ')}, but no sensor of the network has this device: write ${names.map(entry).join(', ')} into the sensors of its station, ${RETRY}`;
  }
  const parts = [...instruments].map(([instrument, kinds]) => {
    const fitting = fittingSensors(sensors, kinds).map(({ id }) => id);
    if (fitting.length === 0) {
      const has = sensors.map(({ id, kind }) => `${id} (${kind})`).join(', ');
      return `device ${device} has sensors ${has} in the network, but no ${instrument}: write ${entry(instrument)} into the sensors of its station, or correct a "kind"`;
    }
    if (fitting.length > 1) {
      return `sensors ${fitting.join(' and ')} of device ${device} may both be its ${instrument}: give each its "kind", and leave out the one that the device does not have`;
    }
    const day = readInstant(measuredAt) === undefined ? 'then' : `on ${measuredAt}`;
    return `sensor ${fitting[0]}, the ${instrument} of device ${device}, was at no station ${day}: correct its periods in "stations"`;
  });
  return `${parts.join('; ')}; ${RETRY}`;
}

/** Says what was stored and is perhaps not meant so. `gap`: the sentence of describeGap. */
export const hintsOf = (
  { facts: { notUtf8 }, doubts: { corrections } }: Findings,
  doubts: readonly Doubt[] = [],
  gap?: string,
): string[] => [
  ...doubts.map(({ what, remedy }) => `${what}. ${remedy}`),
  ...[
    corrections(),
    notUtf8 && `row ${notUtf8.line} was refused: ${explainEncoding(notUtf8.encoding)}`,
    gap,
  ].filter((hint) => hint !== undefined),
];
