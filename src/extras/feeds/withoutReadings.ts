/**
 * Why a document without a reading of its provider is a failure, and what to write: a feed that
 * answers well and brings nothing would look healthy.
 */
import { InputError } from '../../base/inputError.ts';
import type { ReadingInput } from '../../ingest/reading/reading.ts';
import { NETWORK_FILE } from '../../ingest/reading/vocabulary.ts';
import { readSensorId } from '../../ingest/store/validate.ts';

/** The document has none. The feed keeps its interval: its next document may have one. */
export class WithoutReadings extends InputError {}

/** The other contents of a document, for messages. */
export type Others = {
  /** Some sensors of other providers, as the document names them. */
  sensors: Set<string>;
  /** Readings that name no sensor and no device, and how many of them have a known parameter. */
  unnamed: number;
  withParameter: number;
  /** The reason for the first of these that could not be read. */
  why?: string | undefined;
  /** Rows that "only" leaves out. */
  excluded: number;
  /** Some of the fields that are not used. */
  fields: readonly string[];
};

/** At most this many sensors, devices and fields are named, each up to this length. */
const MOST_EXAMPLES = 5;
const LONGEST_NAME = 40;

/** The first of these names, for a message. */
export const someOf = (names: Iterable<string>): string[] =>
  [...names].slice(0, MOST_EXAMPLES).map((name) => name.slice(0, LONGEST_NAME));

export const noOthers = (): Others => ({
  sensors: new Set(),
  unnamed: 0,
  withParameter: 0,
  excluded: 0,
  fields: [],
});

/** Notes a reading of another sensor, or of none. */
export function noteOther(others: Others, { sensorId, values, why }: ReadingInput): void {
  if (sensorId === undefined || sensorId === null || sensorId === '') {
    others.unnamed += 1;
    if (Object.keys(values).length > 0) others.withParameter += 1;
    others.why ??= why;
  } else if (others.sensors.size < MOST_EXAMPLES && typeof sensorId !== 'object')
    others.sensors.add(String(sensorId));
}

type Problem = [what: string, remedy: string];

/**
 * Undefined: the document has a reading of a sensor of the provider. `readings` come from its
 * sensors and from devices that no sensor has; `sensors` are its own.
 */
export function whyWithout(
  received: number,
  readings: readonly ReadingInput[],
  others: Others,
  sensors: ReadonlySet<number>,
): Problem | undefined {
  const own = readings.filter(({ sensorId }) => sensors.has(readSensorId(sensorId) ?? 0));
  if (own.some(isOfUse)) return undefined;
  if (own.length > 0) return withoutParameter(own.length, others);
  if (received === 0) return withoutRows(others);
  const devices = [...new Set(readings.flatMap(({ device }) => device ?? []))];
  const strangers = [
    ...listed('sensor', someOf(others.sensors)),
    ...listed('device', someOf(devices)),
  ];
  const count = `it holds ${counted(received)}, none of a sensor of this provider`;
  if (strangers.length === 0) return withoutNames(count, others, sensors);
  return [
    `${count}: ${strangers.join(', ')}`,
    `${ownSensors(sensors)}. Write there what the feed calls them ("id", or "device"), and import it; or correct the address (pull.url).`,
  ];
}

/** A value that cannot be used is one: the quarantine says why. */
const isOfUse = ({ unreadable, values }: ReadingInput): boolean =>
  unreadable === true || Object.keys(values).length > 0;

const withoutRows = ({ excluded }: Others): Problem =>
  excluded > 0
    ? [
        `${NETWORK_FILE.option('only')} leaves out all of its rows (${excluded})`,
        'Correct it in the network file.',
      ]
    : [
        'it holds no reading',
        'Open the address yourself: it may ask for a time or a place without readings, or its service may have ended.',
      ];

const withoutParameter = (count: number, { fields }: Others): Problem => [
  `it holds ${counted(count)} of its sensors, without a known parameter${found(fields)}`,
  `Say which is which with ${NETWORK_FILE.option('column')}, as in ${NETWORK_FILE.option('column', 'pm25=NAME')}.`,
];

function withoutNames(
  count: string,
  { why, withParameter, fields }: Others,
  sensors: ReadonlySet<number>,
): Problem {
  if (why !== undefined) return [`${count}: ${why}`, CORRECT];
  if (withParameter === 0)
    return [
      `${count}: they name no sensor, no device and no known parameter${found(fields)}`,
      CORRECT,
    ];
  const [sensor = 11] = sensors;
  return [
    `${count}, because they name no sensor and no device`,
    `Add "sensor": ${sensor} to "pull" in the network file, or say which field it is, as in ${NETWORK_FILE.option('column', 'sensor_id=NAME')}.`,
  ];
}

const CORRECT = `Correct the address (pull.url) or the kind, or say which field is which with ${NETWORK_FILE.option('column')}.`;

const found = (fields: readonly string[]) =>
  fields.length > 0 ? `; found ${fields.join(', ')}` : '';

const counted = (count: number) => `${count} ${count === 1 ? 'reading' : 'readings'}`;

const listed = (what: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${what}${names.length > 1 ? 's' : ''} ${names.join(', ')}`];

function ownSensors(sensors: ReadonlySet<number>): string {
  const some = [...sensors].slice(0, MOST_EXAMPLES);
  if (some.length === 0) return 'The network file has no sensor at a station of this provider';
  const more = sensors.size > some.length ? ' and others' : '';
  return `Its sensors in the network file are ${some.join(', ')}${more}`;
}
