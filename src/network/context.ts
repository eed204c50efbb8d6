/** What the checks of a network file share: what exists in the file or in the database, and where problems are noted. */
import type { Known } from './existing.ts';
import { makePeriodReader, type PeriodReader } from './periods.ts';
import type { Draft, Listed, Problem } from './read.ts';
import type { Sensor, Station } from './schema.ts';

export type Context = {
  draft: Draft;
  known: Known;
  /** Slug to kind, of the file and the database. */
  kinds: ReadonlyMap<string, 'city' | 'district'>;
  providers: ReadonlySet<unknown>;
  regions: ReadonlySet<unknown>;
  stations: ReadonlySet<unknown>;
  reader: PeriodReader;
  note(place: string, what: string): void;
};

/** Elements with a fault of their own count as existing, or each of them would be complained of twice. */
export function makeContext(draft: Draft, known: Known, problems: Problem[]): Context {
  const note = (place: string, what: string) => {
    // what is said of a kind is met at each of its sensors
    if (!problems.some((known) => known.place === place && known.what === what)) problems.push({ place, what });
  };
  // a slug given twice is noted; until then it means the first
  const kinds = new Map([
    ...known.regions,
    ...draft.regions.toReversed().map(({ item }) => [item.slug, item.kind] as const),
  ]);
  return {
    draft,
    known,
    kinds,
    providers: new Set<unknown>([
      ...known.providers,
      ...draft.providers.map(({ item }) => item.id),
      ...draft.faulty.providers,
    ]),
    regions: new Set<unknown>([...kinds.keys(), ...draft.faulty.regions]),
    stations: new Set<unknown>([
      ...known.stations.keys(),
      ...draft.stations.map(({ item }) => item.id),
      ...draft.faulty.stations,
    ]),
    reader: makePeriodReader(known.instants, note),
    note,
  };
}

export function unknownName(kind: string, name: string | number): string {
  return `there is no ${kind} ${name}, neither in the file nor in the database: add it, or correct the name`;
}

/** Every sensor with the station it is listed under. */
export function sensorsOf({ stations }: Draft): (Listed<Sensor> & { station: Station })[] {
  return stations.flatMap(({ place, item: station }) =>
    station.sensors.map((item, index) => ({ place: `${place}.sensors[${index}]`, item, station })),
  );
}

/** Names that must occur once. */
export function noteTwice<T>(
  list: readonly Listed<T>[],
  name: (item: T) => string | number,
  key: string,
  { note }: Context,
): void {
  const first = new Map<string | number, string>();
  for (const { place, item } of list) {
    const earlier = first.get(name(item));
    if (earlier === undefined) first.set(name(item), place);
    else note(`${place}.${key}`, `${name(item)} is there already, at ${earlier}: name each once`);
  }
}
