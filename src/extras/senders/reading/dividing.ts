/**
 * Recognizes columns that tell rows or values apart, by place, parameter, unit or half of the day,
 * and that nobody uses (S9). With more than one value they stop their source; so does one value that
 * contradicts what the values are taken for.
 */
import type { ParameterName } from '../../../contract/parameters.ts';
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import type { ValueColumn } from '../formats/format.ts';
import { ownName } from '../formats/ownNames.ts';
import { cellAt, isGiven, type Position } from '../rows/cells.ts';
import { isSameUnit, ownUnitOf } from '../units.ts';
import { sayUnits } from './unitColumns.ts';
import { wordsOf } from './words.ts';

/** `system`: a number stands for a system of units. `half`: of the day. */
type Kind = 'place' | 'parameter' | 'unit' | 'system' | 'half';

/** A column that tells values apart. */
export type DividingColumn = { name: string; kind: Kind; position: Position };

/** Words that say nothing about what a column tells apart. */
const NO_MATTER = 'id ids name code num number no nr key uid eui serial label'.split(' ');

const PLACES =
  `host hostname device station site sensor channel location node instrument probe logger unit method
  estacion estación stazione messstelle sonde датчик станция կայան`.split(/\s+/);
const PARAMETERS =
  `parameter pollutant species variable analyte component measurand magnitud contaminante
  schadstoff komponente inquinante polluant показатель параметр`.split(/\s+/);
/** InfluxDB's, which mean nothing without the underscore. */
const OF_INFLUX = ['_field', '_measurement'];

/** Undefined: a column of this name tells nothing apart. */
export function dividingKind(name: string): Kind | undefined {
  if (OF_INFLUX.includes(name.toLowerCase())) return 'parameter';
  const all = wordsOf(name);
  if (sayUnits(all)) return 'unit';
  const words = all.filter((word) => !NO_MATTER.includes(word));
  const [word = '', ...more] = words;
  if (all.join(' ') === 'us units') return 'system';
  if (word === 'ampm' || (word === 'am' && more[0] === 'pm')) return 'half';
  if (more.length > 0 && !(word === 'method' && more[0] === 'type')) return undefined;
  if (PLACES.includes(word)) return 'place';
  return PARAMETERS.includes(word) ? 'parameter' : undefined;
}

/** The values of such a column, as far as they were met. */
type Divided = {
  kind: Kind;
  values: Set<string>;
  /** The first value of each sensor or device: a place divides only the rows of one. */
  ofOwners: Map<unknown, string>;
  /** Two values of one sensor or device. */
  apart?: readonly [owner: unknown, one: string, other: string];
  /** A clause that says how a value contradicts the use of the others. */
  against?: string | undefined;
};

/** The parameters and units that the values of the rows are taken for. */
type Taken = readonly {
  parameter: ParameterName;
  columns: readonly Pick<ValueColumn, 'unit' | 'unitAt'>[];
}[];

/** Bounds for memory; the first owners tell as much as all. */
const MOST_VALUES = 12;
const MOST_OWNERS = 10_000;

export function makeDividing() {
  const byColumn = new Map<string, Divided>();
  return {
    see(
      row: Row,
      owner: unknown,
      { dividing, values }: { dividing: readonly DividingColumn[]; values: Taken },
    ): void {
      for (const { name, kind, position } of dividing) {
        const cell = cellAt(row, position);
        if (!isGiven(cell) || typeof cell === 'object') continue;
        const value = String(cell).slice(0, 60);
        let known = byColumn.get(name);
        if (known === undefined) {
          known = { kind, values: new Set(), ofOwners: new Map() };
          byColumn.set(name, known);
        }
        if (kind === 'place') noteOwner(known, owner, value);
        else if (!known.values.has(value) && known.values.size < MOST_VALUES) {
          known.values.add(value);
          known.against ??= contradicted(kind, value, values);
        }
      }
    },
    doubts: (say: Vocabulary): Doubt[] =>
      [...byColumn].flatMap(([name, known]): Doubt[] => {
        const what = whatItTells(name, known);
        if (what === undefined) return [];
        const { kind, values, apart } = known;
        const [first = ''] = apart?.slice(1) ?? [...values];
        return [{ what, remedy: howToUse(name, kind, String(first), say), stops: 'always' }];
      }),
  };
}

function noteOwner(known: Divided, owner: unknown, value: string): void {
  const first = known.ofOwners.get(owner);
  if (first === undefined) {
    if (known.ofOwners.size < MOST_OWNERS) known.ofOwners.set(owner, value);
  } else if (first !== value) known.apart ??= [owner, first, value];
}

/** A clause with the use of the values, if a unit or a parameter says another. */
function contradicted(kind: Kind, value: string, all: Taken): string | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  if (kind === 'half') return 'a time of twelve hours is read without it';
  const units = all.flatMap(({ parameter, columns }) =>
    columns.map(({ unit }) => ({ parameter, unit: unit ?? ownUnitOf(parameter) })),
  );
  if (kind === 'unit')
    return units.some(({ parameter, unit }) => isSameUnit(value, unit, parameter))
      ? undefined
      : `${units[0]?.parameter} is taken to be in ${units[0]?.unit}`;
  if (kind === 'system')
    return all.every(({ columns }) =>
      columns.every(({ unit, unitAt }) => (unit ?? unitAt) !== undefined),
    )
      ? undefined
      : `the unit of ${first.parameter} is not declared`;
  const named = parameterNamed(value);
  const isRead =
    named === undefined || all.some(({ parameter }) => family(parameter) === family(named));
  return isRead ? undefined : `values are taken for ${first.parameter}`;
}

/** PM2.5 is one, raw or corrected. */
const family = (parameter: ParameterName) => parameter.replace('_raw', '');

/** Names of parameters as agencies write them. */
const WRITTEN_OUT = {
  ozone: 'o3',
  'nitrogen dioxide': 'no2',
  'sulfur dioxide': 'so2',
  'sulphur dioxide': 'so2',
  'relative humidity': 'humidity',
  'pm2.5': 'pm25',
  'air temperature': 'temperature',
};

const parameterNamed = (value: string): ParameterName | undefined =>
  ownName(value)?.parameter ?? ownName(value, WRITTEN_OUT)?.parameter;

/** Undefined: it tells nothing apart. */
function whatItTells(name: string, { kind, values, apart, against }: Divided): string | undefined {
  if (apart !== undefined) {
    const [owner, one, other] = apart;
    return `column ${name} (${one}, ${other}) tells rows of ${String(owner).slice(0, 60)} apart, and is not used`;
  }
  const all = [...values];
  if (all.length > 1)
    return `column ${name} (${all.join(', ')}) tells ${WHAT[kind]} apart, and is not used`;
  return against === undefined ? undefined : `column ${name} says ${all[0]}, but ${against}`;
}

function howToUse(name: string, kind: Kind, first: string, say: Vocabulary): string {
  const one = `${say.option('only', `${name}=${first}`)} for rows with that value alone`;
  const all = say.option('only', `${name}=*`);
  const remedies: Record<Kind, string> = {
    place: `Write ${say.option('column', `device=${name}`)} if it says whose the rows are, ${one}, or ${all} if all of them are of one place.`,
    parameter: `Write ${one}, or ${all} if all of them measure what they are taken for.`,
    unit: `Leave out ${say.option('unit')} if the column is right, or write ${one}, or ${all} if the column is wrong.`,
    system: `Declare the unit of each parameter with ${say.option('unit')}, and write ${one}.`,
    half: `Write ${say.option('column', `time=DATE+TIME+${name}`)}.`,
  };
  return remedies[kind];
}

const WHAT: Record<Kind, string> = {
  place: 'rows',
  parameter: 'parameters',
  unit: 'units',
  system: 'systems of units',
  half: 'morning and evening',
};
