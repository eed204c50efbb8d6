/** The samples of all formats, and what becomes of one that is read. */
import { InputError } from '../../../../src/base/inputError.ts';
import { explainReading, explainValue } from '../../../../src/ingest/explain.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { stoppingDoubt } from '../../../../src/ingest/reading/doubt.ts';
import { refusalsOf } from '../../../../src/ingest/reading/facts.ts';
import type { ReadingInput } from '../../../../src/ingest/reading/reading.ts';
import { COMMAND_LINE } from '../../../../src/ingest/reading/vocabulary.ts';
import {
  type Checked,
  checkReading,
  givenParameters,
  latestAcceptable,
} from '../../../../src/ingest/store/validate.ts';
import { NOW } from '../../../support/clock.ts';
import { READING_FORMATS } from '../../../support/formats.ts';
import { readText } from '../support.ts';
import { foreign } from './foreign.ts';
import type { Declared, Sample, StoredReading } from './table.ts';
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

/** What is stored of a text, with its accepted rows, and what is said of the rest. */
type Result = { stored: StoredReading[]; rows: number; said: string[]; refused: number };

/** Reads a text as a push, or as a file, whose readings get no time of arrival, and checks it. */
export async function read(text: string, declared: Declarations) {
  const result: Result = { stored: [], rows: 0, said: [], refused: 0 };
  try {
    const { readings, facts, doubts } = await readText(text, { timeZone: '+04:00', ...declared });
    const [refusal] = refusalsOf('sample', facts);
    if (refusal !== undefined) throw refusal;
    const doubt = stoppingDoubt(doubts.of(readings, COMMAND_LINE));
    if (doubt !== undefined) throw new InputError('sample', doubt.what, doubt.remedy);
    for (const reading of readings) note(result, reading);
    return { ...result, facts };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ...result, said: [error.message], refused: 1, facts: undefined };
  }
}

function note(result: Result, reading: ReadingInput): void {
  const parameters = givenParameters([reading]);
  const { sensorId, device } = reading;
  const known = { ...reading, sensorId: sensorId ?? (device && 1) };
  const checked = checkReading(known, parameters, latestAcceptable(NOW), new Map());
  const { rejected, time = 0 } = checked;
  for (const reason of rejected) {
    const name = reason.slice(reason.indexOf(':') + 1) as keyof typeof reading.values;
    result.said.push(explainValue(reason, reading.values[name], READING_FORMATS));
  }
  result.refused += rejected.length;
  const reason = reasonOf(checked);
  if (reason !== undefined) {
    result.refused += 1;
    result.said.push(explainReading(reason, reading, READING_FORMATS) ?? reason);
    return;
  }
  const values = parameters.flatMap(({ name }, at) =>
    rejected.some((one) => one.endsWith(`:${name}`)) ? [] : [[name, rounded(checked.values[at])]],
  );
  result.rows += 1;
  const owner = sensorId == null ? { device } : { sensor: Number(sensorId) };
  const at = new Date(time / 1_000).toISOString().replace('.000Z', 'Z');
  add(result.stored, { ...owner, time: at, ...Object.fromEntries(values) });
}

/** What is left empty withdraws, if nothing of the reading is refused. */
const reasonOf = ({ reason, empty, rejected }: Checked) =>
  reason === 'no_value' && empty.length > 0 && rejected.length === 0 ? undefined : reason;

const rounded = (value: number | null | undefined) =>
  typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;

/** Rows of one sensor and time are one reading. */
function add(stored: StoredReading[], one: StoredReading): void {
  const ownerOf = ({ sensor, device, time }: StoredReading) => `${sensor} ${device} ${time}`;
  const before = stored.findIndex((other) => ownerOf(other) === ownerOf(one));
  if (before === -1) stored.push(one);
  else stored[before] = { ...stored[before], ...one };
}
