/**
 * Makes what the checks of a network file share: the elements of the file and of the database, and
 * the list of issues found so far.
 */
import { distance } from 'fastest-levenshtein';
import type { ExistingNetwork } from './existing.ts';
import { makePeriodReader, type PeriodReader } from './periods.ts';
import type { Issue, ParsedNetwork, ParsedRegion } from './read.ts';

export type CheckContext = {
  parsed: ParsedNetwork;
  existing: ExistingNetwork;
  /** The regions of the file and of the database by slug. */
  regions: ReadonlyMap<string | undefined, Pick<ParsedRegion, 'kind' | 'city'>>;
  periods: PeriodReader;
  issues: readonly Issue[];
  addIssue(position: string, message: string): void;
  /**
   * Adds an issue if there is no such element, neither in the file nor in the database. Undefined
   * was an issue before.
   */
  checkName(
    position: string,
    kind: 'provider' | 'region' | 'station' | 'sensor',
    name: string | number | undefined,
  ): void;
};

/** Appends to `issues`. */
export function makeContext(
  parsed: ParsedNetwork,
  existing: ExistingNetwork,
  issues: Issue[],
): CheckContext {
  const addIssue = (position: string, message: string) => {
    issues.push({ position, message });
  };
  // of a duplicate slug, which is an issue of its own, the first element counts
  const regions = new Map<string | undefined, Pick<ParsedRegion, 'kind' | 'city'>>([
    ...existing.regions,
    ...parsed.regions.toReversed().map((region) => [region.slug, region] as const),
  ]);
  const names = {
    provider: new Set<unknown>([...existing.providers, ...parsed.providers.map(({ id }) => id)]),
    region: new Set<unknown>(regions.keys()),
    station: new Set<unknown>([
      ...existing.stations.keys(),
      ...parsed.stations.map(({ id }) => id),
    ]),
    sensor: new Set<unknown>([...existing.sensors, ...parsed.sensors.map(({ id }) => id)]),
  };
  return {
    parsed,
    existing,
    regions,
    periods: makePeriodReader(existing.instants, addIssue),
    issues,
    addIssue,
    checkName(position, kind, name) {
      if (name === undefined || names[kind].has(name)) return;
      const meant = [...names[kind]].find(
        (known) => typeof known === 'string' && distance(known, String(name)) <= 2,
      );
      const remedy = meant === undefined ? 'add it, or correct the name' : `did you mean ${meant}?`;
      addIssue(
        position,
        `there is no ${kind} ${name}, neither in the file nor in the database: ${remedy}`,
      );
    },
  };
}

/** Adds an issue for every element whose name an earlier one has. */
export function addDuplicates<Key extends 'id' | 'slug'>(
  elements: readonly ({ position: string } & { [key in Key]?: string | number | undefined })[],
  key: Key,
  { addIssue }: CheckContext,
): void {
  const first = new Map<string | number, string>();
  for (const { position, [key]: name } of elements) {
    if (name === undefined) continue;
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, position);
    else addIssue(`${position}.${key}`, `${name} is there already, at ${earlier}: name each once`);
  }
}
