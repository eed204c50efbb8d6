/**
 * The facts about a source that come up while it is read, for reports and answers: no reading depends
 * on them.
 */
import {
  type SourceFacts as CoreFacts,
  makeFacts as makeCoreFacts,
  noteUnused,
  type UnusedCells,
} from '../../../ingest/reading/facts.ts';
import { type Format, isUnused } from '../formats/format.ts';
import type { Plan } from './plan.ts';
import type { SeenRow } from './seenRow.ts';
import { isUnsaid } from './unsaidUnits.ts';
import { passedOver, type UnitOfValue } from './values.ts';

/** Facts about a source of a foreign form. */
export type SourceFacts = CoreFacts & {
  /** The declared shift, in microseconds; undefined: none is declared. */
  shift: number | undefined;
};

export const makeFacts = (): SourceFacts => ({
  ...makeCoreFacts(''),
  declared: new Set(),
  shift: undefined,
});

/** Notes names that are not used, unless the format knows them, and counts a value of each. */
export function noteIgnored(facts: SourceFacts, format: Format, names: readonly string[]): void {
  for (const name of names) {
    const unused = isUnused(format, name) ? undefined : noteUnused(facts, name);
    if (unused !== undefined) unused.values += 1;
  }
}

/** Notes the cells that no row of a plan uses. */
export const noteUnusedCells = (facts: SourceFacts, { unused, unusedAt }: Plan): UnusedCells =>
  unused.flatMap((name, at) => {
    const counted = noteUnused(facts, name);
    return counted === undefined ? [] : [[unusedAt[at] as number, counted] as const];
  });

/** Notes the names that a row does not use, and the units that it does not say. */
export function noteRow(
  facts: SourceFacts,
  { format, row, plan, named }: SeenRow,
  units: readonly UnitOfValue[],
): void {
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
