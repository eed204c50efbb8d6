/**
 * The facts about a source that come up while it is read, for reports and answers: no reading depends
 * on them.
 */
import type { ParameterName } from '../../contract/parameters.ts';
import type { Format, Means } from '../formats/format.ts';
import type { Encoding } from '../rows/encoding.ts';
import type { SeenRow } from './seenRow.ts';
import { isUnsaid } from './unsaidUnits.ts';
import { passedOver, type UnitOfValue } from './values.ts';

export type SourceFacts = {
  /** The name of its format. */
  format: string;
  /** Undefined: its rows are no means of hours or days. */
  means?: Means | undefined;
  /** True if a row has one parameter, so that several are one reading. */
  isLong: boolean;
  /** Parameters whose unit is declared, whatever the source says. */
  declared: ReadonlySet<ParameterName>;
  /** The declared shift, in microseconds; undefined: none is declared. */
  shift: number | undefined;
  /** Titles and comments before the first header. */
  linesBefore: number;
  /** Rows with a value, or the name of a parameter. Rows of one sensor and time may be merged. */
  rows: number;
  /** Rows, and single values of others, that `only` leaves out. */
  excluded: number;
  /** True if a reading got the time of its arrival, because it had none. */
  usedServerTime: boolean;
  /** The first row of which something that is read is not UTF-8. */
  notUtf8: { encoding: Encoding; line: number; text: string } | undefined;
  /** Columns, keys or names of parameters that are not used, as far as they were met. */
  ignored: Set<string>;
  /** Parameters of our own names whose unit nobody says, and the fields they are in. */
  undeclared: Map<ParameterName, string>;
};

export const makeFacts = (): SourceFacts => ({
  format: '',
  isLong: false,
  declared: new Set(),
  shift: undefined,
  linesBefore: 0,
  rows: 0,
  excluded: 0,
  usedServerTime: false,
  notUtf8: undefined,
  ignored: new Set(),
  undeclared: new Map(),
});

/**
 * At most this many names are reported as not used: a file may bring a new one on every line.
 */
const MOST_IGNORED = 100;

/** Notes names that are not used, unless the format knows them. */
export function noteIgnored(
  { ignored }: SourceFacts,
  { unused = [] }: Format,
  names: readonly string[],
): void {
  for (const name of names)
    if (ignored.size < MOST_IGNORED && !unused.includes(name.toLowerCase())) ignored.add(name);
}

/** Notes the names that a row does not use, and the units that it does not say. */
export function noteRow(
  facts: SourceFacts,
  { format, row, plan, named }: SeenRow,
  units: readonly UnitOfValue[],
  isFirst: boolean,
): void {
  if (isFirst) noteIgnored(facts, format, plan.unused);
  if (plan.hasRivals) noteIgnored(facts, format, passedOver(row, plan));
  for (const { field, unit } of named)
    if (unit === undefined && plan.isLong) noteIgnored(facts, format, [field]);
  const { undeclared } = facts;
  for (const unit of units) {
    const { parameter, field, said } = unit;
    if (said === undefined && !isUnsaid(unit) && !undeclared.has(parameter))
      undeclared.set(parameter, field);
  }
}
