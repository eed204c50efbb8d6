/** Says of each column that is read what it means, in which unit, and who says the unit (S10). */
import { PARAMETER_NAMES } from '../../../contract/parameters.ts';
import { noteUsed, type UsedColumn } from '../../../ingest/reading/facts.ts';
import type { Names } from '../../../ingest/rows/row.ts';
import { unitInName } from '../formats/unitInName.ts';
import type { Position } from '../rows/cells.ts';
import { isSameUnit, ownUnitOf, unitInWords, unitsOf } from '../units.ts';
import type { SourceFacts } from './facts.ts';
import type { Slot } from './mapped.ts';
import { type Layout, type Plan, type PlannedColumn, takenBy } from './plan.ts';
import { isUnsaid } from './unsaidUnits.ts';
import type { NamedValue, UnitOfValue } from './values.ts';

type SaidBy = NonNullable<UsedColumn['said_by']>;

/** `payload`: the names of the object within the row, where its format has one. */
export function noteUsedColumns(
  facts: SourceFacts,
  layout: Layout,
  plan: Plan,
  names: Names,
  payload: Names | undefined,
): void {
  const nameOf = ({ index, path, isInPayload }: Position) =>
    [(isInPayload ? payload : names)?.list[index], path]
      .filter((part) => part !== undefined)
      .join('.');
  /** Where each text begins, and its name. */
  const textsOf = ({ positions, isJoined, otherwise }: Slot): [at: number, column: string][] => {
    const all = positions.map((one): [number, string] => [one.index, nameOf(one)]);
    const [first] = all;
    const joined = all.map(([, column]) => column).join('+');
    const own: typeof all = isJoined && first !== undefined ? [[first[0], joined]] : all;
    const isRead = otherwise !== undefined && takenBy(otherwise, names.isTable).length > 0;
    return isRead ? [...own, ...textsOf(otherwise)] : own;
  };
  const slots = [
    ['sensor_id', plan.sensor],
    ['device', plan.device],
    ['time', plan.time],
  ] as const;
  const texts = slots.flatMap(([parameter, slot]) =>
    textsOf(slot).map(([at, column]) => ({
      ...{ at, key: `${column} ${parameter}` },
      used: { column, parameter, unit: null, said_by: null },
    })),
  );
  const values = plan.values.flatMap(({ parameter, columns, otherwise }) =>
    [...columns, ...otherwise].map((one) => {
      const { unit: said, position, unitAt, isDeclared, field, column } = one;
      const isOfTable = names.units?.[position.index] !== undefined && !isDeclared;
      const isOfRows = unitAt !== undefined && !isDeclared;
      const by = isOfRows ? 'in each row' : isOfTable ? 'in a row of units' : undefined;
      const used = usedFor(layout, column, { ...one, parameter, said }, by);
      return { at: position.index, key: `${field} ${column}`, used };
    }),
  );
  for (const { key, used } of [...texts, ...values].toSorted((a, b) => a.at - b.at))
    noteUsed(facts, key, used);
}

/** Notes names of parameters that a row has. */
export function noteNamed(facts: SourceFacts, layout: Layout, named: readonly NamedValue[]): void {
  for (const { field, column, unit } of named) {
    if (column === undefined || unit === undefined || facts.columns.has(field)) continue;
    noteUsed(facts, field, usedFor(layout, column, unit, whoSaysInRow(layout, unit)));
  }
}

/** `in each row`, where neither a declaration nor the parameter's name there says the unit. */
function whoSaysInRow(layout: Layout, unit: UnitOfValue): SaidBy | undefined {
  const { field, parameter, said } = unit;
  if (said === undefined || whoSays(layout, unit) !== 'by the format') return undefined;
  const ofFormat = layout.units.get(parameter) ?? layout.format.parameter?.(field)?.unit;
  return said === ofFormat ? undefined : 'in each row';
}

/** `by`: who says the unit, where it is not the name or a declaration. */
function usedFor(
  layout: Layout,
  column: PlannedColumn['column'],
  unit: UnitOfValue,
  by?: SaidBy,
): UsedColumn {
  const { field, parameter, said } = unit;
  const saidBy = by ?? whoSays(layout, unit);
  const isOpen = saidBy === null || (said === undefined && saidBy === 'in each row');
  const shown = unitText(said ?? ownUnitOf(parameter), parameter);
  return { column: field, parameter: column, unit: isOpen ? null : shown, said_by: saidBy };
}

/** `°C` for ours, else as an option has it: `ug/m3`. */
function unitText(said: string, parameter: UnitOfValue['parameter']): string {
  if (isSameUnit(said, ownUnitOf(parameter), parameter)) return unitInWords(parameter);
  return unitsOf(parameter).find((one) => isSameUnit(said, one, parameter)) ?? said;
}

function whoSays({ format, columns, units }: Layout, unit: UnitOfValue): SaidBy | null {
  const { field, parameter, said } = unit;
  if (units.has(parameter))
    return format.units?.get(parameter) === units.get(parameter) ? 'by the format' : 'declared';
  if (said === undefined) {
    if (isUnsaid(unit)) return null;
    const isOurs = (PARAMETER_NAMES as readonly string[]).includes(field.toLowerCase());
    return isOurs ? 'our name' : 'assumed';
  }
  const isTheirs = ({ theirs }: { theirs: string }) => theirs.toLowerCase() === field.toLowerCase();
  if (columns.some((one) => one.is === 'value' && one.saysUnit && isTheirs(one))) return 'declared';
  const { unit: inName } = unitInName(field, parameter);
  return inName !== undefined && isSameUnit(inName, said, parameter)
    ? 'in the name'
    : 'by the format';
}
