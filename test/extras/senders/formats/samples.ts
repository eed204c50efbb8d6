/**
 * Every way in reads the samples with this: a network with their sensors and devices, readings
 * that are stored before a sample comes, and what a sample has changed.
 */
import { expect } from 'vitest';
import { PARAMETER_NAMES } from '../../../../src/contract/parameters.ts';
import type { Sql } from '../../../../src/database/client.ts';
import { listQuarantine } from '../../../../src/ingest/quarantine/list.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { acceptReadings } from '../../../../src/ingest/store/accept.ts';
import { reading } from '../../../ingest/support.ts';
import { NOW } from '../../../support/clock.ts';
import { READING_FORMATS } from '../../../support/formats.ts';
import { smallNetwork } from '../../../support/smallNetwork.ts';
import { foreign } from './foreign.ts';
import type { Declared, Refused, Sample, StoredReading } from './table.ts';
import { TABLES } from './tables.ts';

/** A sample with its format; its columns are turned around unless it is of the files of others. */
export type NamedSample = Sample & { format: string; isTurned: boolean };

/** Each with a name for its tests. */
export const SAMPLES: [name: string, sample: NamedSample][] = TABLES.flatMap((table) =>
  table.samples.map((sample): [string, NamedSample] => [
    `${table.format}, ${sample.what}`,
    { ...sample, format: table.format, isTurned: table !== foreign && !table.isPositional },
  ]),
);

/** As it is sent. */
export const textOf = (sample: Sample): string =>
  'json' in sample ? JSON.stringify(sample.json) : `${sample.lines.join('\n')}\n`;

/** The declarations of a sample, as the reader of a file takes them. */
export const declarationsOf = ({
  column: columns,
  unit: units,
  ...others
}: Declared = {}): Declarations => ({ ...others, columns, units });

const OWNERS = SAMPLES.flatMap(([, { stored, refused = [] }]) => [...stored, ...refused]);
const sensors = [...new Set(OWNERS.flatMap(({ sensor }) => sensor ?? []))];
const devices = [...new Set(OWNERS.flatMap(({ device }) => device ?? []))];
/** Devices get ids that no sample has. */
const FIRST_ID = 1_000_001;

/** Every sensor and device of the samples, at one station. */
export const NETWORK = smallNetwork({
  one: {
    sensors: [
      ...sensors.map((id) => ({ id })),
      ...devices.map((device, index) => ({ id: FIRST_ID + index, device })),
    ],
  },
  two: { sensors: [] },
});

const sensorOf = ({ sensor, device }: StoredReading): number =>
  sensor ?? FIRST_ID + devices.indexOf(device ?? '');

const ownerOf = (id: number) => {
  const device = devices[id - FIRST_ID];
  return device === undefined ? { sensor: id } : { device };
};

/** The stored values before a sample comes; no sample has one of these values. */
export const HELD = Object.fromEntries(
  PARAMETER_NAMES.map((name, index) => [name, name === 'pressure' ? 100_000.125 : index + 0.125]),
);

/**
 * Empties the tables, and stores every parameter for each reading of the sample: so it is seen which
 * values the sample replaces, which it leaves empty, and that all others stay (S3).
 */
export async function hold(owner: Sql, ingest: Sql, { stored }: Sample): Promise<void> {
  await owner`delete from raw.readings`;
  await owner`delete from raw.quarantine`;
  const readings = stored.map((one) => reading(sensorOf(one), one.time, HELD));
  await acceptReadings(ingest, readings, { now: NOW, source: 'before' });
}

const rounded = (value: unknown) =>
  typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;

/** Sorted by sensor and time, as `changed` has them. */
export const storedOf = (readings: readonly StoredReading[]): StoredReading[] =>
  readings.toSorted((a, b) => sensorOf(a) - sensorOf(b) || a.time.localeCompare(b.time));

/** The readings that differ from those held, each with the values that do. */
export async function changed(owner: Sql): Promise<StoredReading[]> {
  const rows = await owner`
    select to_jsonb(r) as row from raw.readings r order by sensor_id, measured_at`;
  const readings = rows.map(({ row }): StoredReading => {
    const time = new Date(row.measured_at).toISOString().replace('.000Z', 'Z');
    const values = PARAMETER_NAMES.filter((name) => row[name] !== HELD[name]);
    return {
      ...ownerOf(row.sensor_id),
      time,
      ...Object.fromEntries(values.map((name) => [name, rounded(row[name])])),
    };
  });
  return readings.filter((one) => Object.keys(one).length > 2);
}

/**
 * Each row and value that is not used is said to be, by the sender's answer or by the quarantine,
 * and each has a line there if the source was read. `said`: the sentences of the answer.
 */
export async function expectRefusals(
  owner: Sql,
  said: readonly string[],
  refused: readonly Refused[],
  isRead: boolean,
): Promise<void> {
  const { lines } = await listQuarantine(owner, {}, 100, READING_FORMATS);
  const all = [...said, ...lines.map(({ explanation }) => explanation)];
  for (const { why } of refused) expect(all).toContainEqual(expect.stringContaining(why));
  if (refused.length === 0) expect(all).toEqual([]);
  if (isRead) expect(lines).toHaveLength(refused.length);
}
