/**
 * Looks at staged rows as a whole, before any is stored (S7, S8): files, pushes and feeds ask
 * sql/logic/45_look.sql the same, and what it finds becomes doubts here.
 */

import type { ReservedSql } from 'postgres';
import { bitsOf } from '../../contract/parameters.ts';
import type { Explaining } from '../formats.ts';
import { differenceOf, shown, unusedDifferences } from '../reading/differences.ts';
import type { Doubt } from '../reading/doubt.ts';
import type { Findings } from '../reading/facts.ts';
import type { ReadingInput } from '../reading/reading.ts';
import type { Vocabulary } from '../reading/vocabulary.ts';

/** An element of logic.look_at_stage. `stops`: the rows are not to be stored. */
export type Finding = { stops: boolean } & (
  | { kind: 'exchanged'; rows: number }
  | { kind: 'rising_rain'; rows: number; first: number; last: number }
  | Contradictions
  | Unusual
);

type Contradictions = {
  kind: 'contradictions';
  count: number;
  rows: number;
  /** The first two rows that contradict each other; ordinals count from 1. */
  ordinals: readonly [number, number];
  sensor_id: number;
  measured_at: string;
  parameter: string;
  values: readonly [number, number];
};

type Unusual = {
  kind: 'unusual';
  parameter: 'temperature' | 'wind_speed';
  median: number;
  usual: number;
  is_own: boolean;
};

/** A source that is looked at: everything known of it, and how it is spoken of. */
export type Looking = {
  found: Findings;
  say: Vocabulary;
  formats: Pick<Explaining, 'declareUnit' | 'ownUnit'>;
};

export type Looked = {
  /** The gravest first. */
  doubts: Doubt[];
  /** A sentence about a few rows that contradict others, and may correct them; undefined: none do. */
  corrections: string | undefined;
};

export const NOTHING_FOUND: Looked = { doubts: [], corrections: undefined };

/**
 * The arguments declared, unsaid and tolerates_few. Where all times are dates alone, or come
 * from a clock of twelve hours, contradictions are not corrections, however few.
 */
export function argumentsOfLook({ found: { facts, doubts }, say }: Looking): (string | null)[] {
  const { declared, undeclared, timeOfDay } = facts;
  const toleratesFew = timeOfDay === null && doubts.ofContradictions(say).length === 0;
  return [
    declared === undefined ? null : String(bitsOf([...declared])),
    String(bitsOf([...undeclared.keys()])),
    String(toleratesFew),
  ];
}

/** The rows with these ordinals; undefined: they cannot be read again. */
type ReadRows = (ordinals: readonly number[]) => Promise<ReadingInput[] | undefined>;

/** Looks at the stage of a file, as far as it is filled. `isUnique`: no sensor and time stands twice. */
export async function lookAtStage(
  connection: ReservedSql,
  isUnique: boolean,
  looking: Looking,
  readRows: ReadRows,
): Promise<Looked> {
  const [row] = await connection.unsafe<[{ findings: Finding[] }]>(LOOK, [
    String(isUnique),
    ...argumentsOfLook(looking),
  ]);
  return await lookedAt(row.findings, looking, readRows);
}

const LOOK = `select logic.look_at_stage($2::text::int, $3::text::int, $1::text::boolean, $4::text::boolean)
  as findings`;

/** Puts findings into words. */
export async function lookedAt(
  findings: readonly Finding[],
  looking: Looking,
  readRows: ReadRows,
): Promise<Looked> {
  const looked: Looked = { doubts: [], corrections: undefined };
  for (const finding of findings) {
    if (finding.kind === 'contradictions') {
      const rows = await readRows(finding.ordinals);
      looked.doubts.push(...looking.found.doubts.ofContradictions(looking.say));
      if (finding.stops) looked.doubts.push(contradictionDoubt(finding, rows, looking));
      else looked.corrections = correctionsIn(finding, rows, looking);
    } else {
      looked.doubts.push(doubtOf(finding, looking));
    }
  }
  return looked;
}

function doubtOf(
  finding: Exclude<Finding, Contradictions>,
  { found, say, formats }: Looking,
): Doubt {
  switch (finding.kind) {
    case 'exchanged':
      return {
        what: `PM2.5 is above PM10 in each of ${finding.rows} rows, which cannot be: the columns were exchanged`,
        remedy: `Map each to the right name with ${say.option('column')}, or add ${formats.ownUnit('pm10', say)} if two instruments measured them so.`,
      };
    case 'rising_rain':
      return {
        what: `rain only rises, from ${finding.first} to ${finding.last} in ${finding.rows} rows: it is the total of a gauge that counts up, and no amount`,
        remedy: `Map it with ${say.option('column', 'rain_total=NAME')}, or add ${formats.ownUnit('rain', say)} if these are amounts.`,
      };
    case 'unusual': {
      const { parameter, median, usual, is_own } = finding;
      const [unit, option] = OTHER_UNITS[parameter];
      const whose = is_own ? 'the hours of its own station' : 'the stations nearby';
      return {
        what: `column ${found.facts.undeclared.get(parameter)} looks like ${unit}: its median is ${median}, and ${whose} have ${Math.round(usual * 10) / 10} around that time`,
        remedy: formats.declareUnit(parameter, median, [option], say),
      };
    }
  }
}

const OTHER_UNITS = { temperature: ['°F', 'f'], wind_speed: ['km/h', 'km/h'] } as const;

/** A column was mistaken. */
function contradictionDoubt(
  finding: Contradictions,
  rows: readonly ReadingInput[] | undefined,
  looking: Looking,
): Doubt {
  const { found, say } = looking;
  const [apart] = unusedIn(rows, found);
  const [field, value] = apart ?? [];
  const ways = [
    apart === undefined || found.facts.timeOfDay
      ? `which columns make the time, as in ${say.option('column', `time=Date+${field ?? 'Time'}`)}`
      : undefined,
    apart === undefined
      ? undefined
      : `which rows count, as in ${say.option('only', `${field}=${value}`)}, or whose they are, as in ${say.option('column', `device=${field}`)}`,
  ];
  const how = `Say ${ways.filter((way) => way !== undefined).join(', ')}.`;
  return {
    what: `${finding.count} of ${finding.rows} rows give a parameter another value than an earlier row of the same sensor and time (${exampleOf(finding, rows, found)})`,
    remedy: `${how} Where a later row corrects an earlier one, leave out the earlier.`,
  };
}

function correctionsIn(
  finding: Contradictions,
  rows: readonly ReadingInput[] | undefined,
  { found }: Looking,
): string {
  const gives = finding.count === 1 ? 'row gives' : 'rows give';
  return `${finding.count} ${gives} a parameter another value than an earlier row of the same sensor and time (${exampleOf(finding, rows, found)}); the last one counts`;
}

/** Unused fields that a message names. */
const MOST_NAMED = 3;

/** The first two rows that contradict each other. */
function exampleOf(
  { ordinals, sensor_id, measured_at, parameter, values }: Contradictions,
  rows: readonly ReadingInput[] | undefined,
  found: Findings,
): string {
  const [first, second] = rows ?? [];
  if (first === undefined || second === undefined)
    return `rows ${ordinals.join(' and ')}, both ${sensor_id} at ${measured_at}: ${parameter} ${values.join(' and ')}`;
  const [name, one, other] = differenceOf(first, second, found.facts) ?? [parameter, ...values];
  const fields = unusedIn(rows, found)
    .slice(0, MOST_NAMED)
    .map(([field, a, b]) => `${field} (${a} and ${b})`);
  const apart = fields.length === 0 ? '' : `; unused columns that differ: ${fields.join(', ')}`;
  const [whose, at] = [second.device ?? second.sensorId, second.measuredAt].map(shown);
  return `lines ${first.line} and ${second.line}, both ${whose} at ${at}: ${name} ${one} and ${other}${apart}`;
}

function unusedIn(rows: readonly ReadingInput[] | undefined, { facts }: Findings) {
  const [first, second] = rows ?? [];
  return first === undefined || second === undefined ? [] : unusedDifferences(first, second, facts);
}
