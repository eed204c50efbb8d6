/** A plan of an import for people (S10), in lines of a terminal's width. */
import { printableLine, wrapped } from '../base/printable.ts';
import { AIRSERIES, shellWord } from '../base/shell.ts';
import type { Plan } from '../ingest/plan.ts';
import type { Described } from '../ingest/store/describe.ts';
import { type Column, facts, tableOf } from './table.ts';

const INDENT = 2;

/** All that there is to say about a source before it is stored. */
export function planText(plan: Plan, width: number): string {
  const { replaced } = plan;
  const said: Fact[] = [
    ['source', plan.source],
    ['format', plan.format],
    ['encoding', plan.encoding],
    ...(plan.delimiter === null ? [] : [['delimiter', JSON.stringify(plan.delimiter)] as Fact]),
    ...(plan.zone === null ? [] : [['zone', plan.zone] as Fact]),
    ...(plan.excluded === 0 ? [] : [['left out', `${plan.excluded}`] as Fact]),
    ['rows', counted(plan)],
    ['replaces', replaced === null ? 'nothing' : inHours(replaced)],
  ];
  const items = (title: string, all: readonly string[]) =>
    all.length === 0 ? [] : [[title, ...all.map((one) => bullet(one, width))].join('\n')];
  return [
    facts(said, width),
    ...items('Columns:', plan.columns.map(columnText)),
    ...items('Not used:', plan.unused.map(unusedText)),
    ...ofSensors(plan.values).map((values) => sensorText(values, width)),
    ...items('Not usable:', plan.refused.map(refusedText)),
    ...items(
      'To be answered before it can be stored:',
      plan.doubts.map(({ what, remedy }) => `${what}. ${remedy}`),
    ),
    ...items('It cannot be read to its end:', plan.failure === undefined ? [] : [plan.failure]),
  ].join('\n\n');
}

type Fact = [name: string, value: string];

/** A name with blanks is quoted. */
const named = (column: string) => (/^[^\s,]+$/.test(column) ? column : JSON.stringify(column));

const COLUMNS_WITHOUT_UNIT = ['sensor_id', 'device', 'time'];

/** `"PM2.5 (µg/m³)" → pm25, µg/m³ (in the name)`. */
function columnText({ column, parameter, unit, said_by }: Plan['columns'][number]): string {
  const meant = `${named(column)} → ${parameter}`;
  if (COLUMNS_WITHOUT_UNIT.includes(parameter)) return meant;
  const by = said_by ?? 'said by nobody';
  return unit === null ? `${meant}, unit ${by}` : `${meant}, ${unit} (${by})`;
}

const unusedText = ({ column, values }: Plan['unused'][number]) =>
  `${named(column)}: ${values} ${values === 1 ? 'value' : 'values'}`;

const bullet = (text: string, width: number) =>
  `- ${wrapped(printableLine(text), width - INDENT, INDENT)}`;

const counted = ({ received, accepted, unchanged }: Plan) =>
  `${received}: ${accepted} would be stored, ${unchanged} are stored already, ${received - accepted - unchanged} cannot be used`;

const inHours = ({ values, oldest, newest }: NonNullable<Plan['replaced']>) =>
  `${values} stored values, from ${oldest} to ${newest}`;

const refusedText = ({ count, reason, position, explanation }: Plan['refused'][number]) =>
  `${count} × ${reason}, first ${position}: ${explanation}`;

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10);

/** The values of each sensor by itself, so that a table fits 80 columns. */
const ofSensors = (values: readonly Described[]): Described[][] =>
  [...new Set(values.map(({ sensor_id }) => sensor_id))].map((id) =>
    values.filter(({ sensor_id }) => sensor_id === id),
  );

function sensorText(values: readonly Described[], width: number): string {
  const [{ sensor_id, station_id } = { sensor_id: 0, station_id: null }] = values;
  const hours = values.flatMap(({ first_hour, last_hour }) => [first_hour, last_hour]).toSorted();
  const [first, last] = [hours[0] ?? '', hours.at(-1) ?? ''].map(hourText);
  const where = station_id === null ? 'at no station' : `at station ${station_id}`;
  const who = sensor_id === null ? 'Unknown sensor' : `Sensor ${sensor_id}`;
  return `${who}, ${where}, ${first} to ${last}:\n${tableOf(values, VALUES, width)}`;
}

/** `2026-11-19 08:00`, local. */
const hourText = (hour: string) => `${hour.slice(0, 10)} ${hour.slice(11, 16)}`;

const VALUES: readonly Column<Described>[] = [
  ['parameter', ({ parameter }) => parameter],
  ['values', ({ count }) => count],
  ['low', ({ lowest }) => rounded(lowest)],
  ['median', ({ median }) => rounded(median)],
  ['high', ({ highest }) => rounded(highest)],
  ['stored', ({ stored_median }) => rounded(stored_median)],
  ['nearby', ({ nearby_median }) => rounded(nearby_median)],
];

/** The command that stores what was planned; `words`: the options as they were typed. */
export const storingCommand = (files: readonly string[], words: readonly string[]): string =>
  [AIRSERIES, 'import readings', ...[...files, ...words].map(shellWord)].join(' ');
